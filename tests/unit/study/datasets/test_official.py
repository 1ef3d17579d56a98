"""Official files: the mirror first, then downloads, and one line that says what to do where there is neither."""

import hashlib
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml
from pydantic import TypeAdapter
from tests.factories.places import CONFIG

from quantrift.core.base.errors import QuantriftError
from quantrift.core.settings.datasets import DataSettings, SourceFile, official_files
from quantrift.study.datasets.addresses import Addresses
from quantrift.study.datasets.official import Places, official
from quantrift.study.planning.root import AnyDataset

DIGEST = hashlib.sha256(b"cube").hexdigest()


class Handler(SimpleHTTPRequestHandler):
    asked: list[str]

    def log_message(self, format: str, *args: object) -> None:
        self.asked.append(self.path)


@pytest.fixture
def asked() -> list[str]:
    """Paths that were asked for at the server."""
    return []


@pytest.fixture
def file(tmp_path: Path, asked: list[str]) -> Iterator[SourceFile]:
    """A file that a server at 127.0.0.1 has."""
    (tmp_path / "www").mkdir()
    (tmp_path / "www" / "cube.mat").write_bytes(b"cube")
    handler = type("Counting", (Handler,), {"asked": asked})
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=tmp_path / "www")) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}/cube.mat"
        yield SourceFile(path="hsi/cube.mat", sha256=DIGEST, bytes=4, urls=(url,))
        server.shutdown()
        thread.join()


def put(folder: Path, content: bytes) -> Path:
    path = folder / "hsi" / "cube.mat"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    return path


def refusal(places: Places, file: SourceFile) -> str:
    with pytest.raises(QuantriftError) as caught:
        official(places, file)
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    return message


def test_a_file_of_the_mirror_is_taken_and_nothing_is_asked_for(
    tmp_path: Path, file: SourceFile, asked: list[str]
) -> None:
    path = put(tmp_path / "mirror", b"cube")
    assert official(Places(tmp_path / "mirror", tmp_path / "resources"), file) == path
    assert asked == []
    assert not (tmp_path / "resources").exists()


def test_a_wrong_file_of_the_mirror_is_refused_and_left_alone(
    tmp_path: Path, file: SourceFile, asked: list[str]
) -> None:
    path = put(tmp_path / "mirror", b"something else")
    message = refusal(Places(tmp_path / "mirror", tmp_path / "resources"), file)
    assert f"{path}: sha256 is" in message
    assert f"expected {DIGEST}; replace it" in message
    assert path.read_bytes() == b"something else"
    assert asked == []


def test_a_download_is_kept_and_not_fetched_again(tmp_path: Path, file: SourceFile, asked: list[str]) -> None:
    places = Places(None, tmp_path / "resources")
    for _ in range(3):
        assert official(places, file).read_bytes() == b"cube"
    assert official(places, file) == tmp_path / "resources" / "hsi" / "cube.mat"
    assert asked == ["/cube.mat"]


def test_what_the_mirror_lacks_is_downloaded(tmp_path: Path, file: SourceFile) -> None:
    (tmp_path / "mirror").mkdir()
    places = Places(tmp_path / "mirror", tmp_path / "resources")
    assert official(places, file) == tmp_path / "resources" / "hsi" / "cube.mat"
    assert list((tmp_path / "mirror").iterdir()) == []


def test_half_a_download_is_never_taken_for_the_file(tmp_path: Path, file: SourceFile, asked: list[str]) -> None:
    path = put(tmp_path / "resources", b"cu")
    temporary = path.with_name(".host-1-cube.mat")
    temporary.write_bytes(b"cu")
    assert official(Places(None, tmp_path / "resources"), file).read_bytes() == b"cube"
    assert asked == ["/cube.mat"]
    assert temporary.read_bytes() == b"cu"


def test_without_any_place_the_settings_are_named(file: SourceFile) -> None:
    message = refusal(Places(), file)
    assert message.startswith("hsi/cube.mat: not in any mirror")
    assert "set data.mirror or QUANTRIFT_MIRROR" in message


def test_a_file_missing_from_the_only_place_is_named(tmp_path: Path, file: SourceFile, asked: list[str]) -> None:
    message = refusal(Places(tmp_path), file)
    assert message.startswith(f"{tmp_path}/hsi/cube.mat: no such file, and data.source forbids downloads; ")
    assert asked == []


def test_a_file_without_addresses_cannot_be_fetched(tmp_path: Path, file: SourceFile) -> None:
    message = refusal(Places(None, tmp_path / "resources"), file.model_copy(update={"urls": ()}))
    assert "no address to be fetched from" in message
    assert "QUANTRIFT_MIRROR" in message


def test_when_all_addresses_fail_each_reason_is_told(tmp_path: Path, file: SourceFile) -> None:
    urls = (file.urls[0] + "x", "http://mirror.invalid/cube.mat", "http://127.0.0.1:9/cube.mat")
    message = refusal(Places(None, tmp_path / "resources"), file.model_copy(update={"urls": urls}))
    assert "404 File not found; mirror.invalid: " in message
    assert "127.0.0.1:9: Connection refused" in message
    assert message.endswith("set data.mirror or QUANTRIFT_MIRROR to it")
    assert list((tmp_path / "resources" / "hsi").iterdir()) == []


def test_the_settings_say_which_places_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUANTRIFT_MIRROR", "there")
    assert Places.of(Addresses(DataSettings(), {})) == Places(Path("there"), Path("resources"))
    assert Places.of(Addresses(DataSettings(mirror="here"), {})) == Places(Path("here"), Path("resources"))
    assert Places.of(Addresses(DataSettings(source="mirror"), {})) == Places(Path("there"), None)
    assert Places.of(Addresses(DataSettings(source="official", downloads="kept"), {})) == Places(None, Path("kept"))
    monkeypatch.delenv("QUANTRIFT_MIRROR")
    assert Places.of(Addresses(DataSettings(), {})) == Places(None, Path("resources"))


def test_every_configured_file_that_is_not_a_part_made_by_others_has_addresses_and_a_size() -> None:
    content = yaml.safe_load((CONFIG / "datasets.yaml").read_text())["datasets"]
    datasets = TypeAdapter(dict[str, AnyDataset]).validate_python(content)
    parts = {"pavia_university_crop", "cifar10_subset", "cifar10_jpeg"}
    for name, dataset in datasets.items():
        for one in official_files(dataset):
            assert bool(one.urls) == (one.bytes is not None) == (name not in parts)
            assert all(url.startswith("https://") for url in one.urls)


def test_addresses_and_sizes_are_nothing_that_results_depend_on(file: SourceFile) -> None:
    assert file.model_dump() == {"path": "hsi/cube.mat", "sha256": DIGEST, "key": None}
