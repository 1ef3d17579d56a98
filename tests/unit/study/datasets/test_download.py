"""Downloads: whatever an address does, the next one is tried; only the whole right file ever gets its name."""

import gc
import hashlib
import itertools
import resource
import socket
import threading
import warnings
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from quantrift.core.base.errors import QuantriftError
from quantrift.core.settings.datasets import SourceFile
from quantrift.study.datasets.download import download

CONTENT = bytes(range(256)) * 1000
DIGEST = hashlib.sha256(CONTENT).hexdigest()
SILENCE = 0.4
"""Seconds that the tests wait for the next bytes."""


class Handler(BaseHTTPRequestHandler):
    """Behaves as the path says, and notes it."""

    protocol_version = "HTTP/1.1"
    server: "Mirrors"

    def do_GET(self) -> None:
        self.close_connection = True
        name = self.path.removeprefix("/")
        self.server.asked.append(name)
        getattr(self, name)()

    def log_message(self, format: str, *args: object) -> None:
        pass

    def send(self, content: bytes, status: int = 200, **headers: object) -> None:
        self.send_response(status)
        for key, value in ({"Connection": "close", "Content_Length": len(content)} | headers).items():
            if value is not None:
                self.send_header(key.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(content)

    def good(self) -> None:
        self.send(CONTENT)

    def chunked(self) -> None:
        chunks = (CONTENT[i : i + 70_000] for i in range(0, len(CONTENT), 70_000))
        body = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
        self.send(body + b"0\r\n\r\n", Content_Length=None, Transfer_Encoding="chunked")

    def until_closed(self) -> None:
        self.send(CONTENT, Content_Length=None)

    def labelled_gzip(self) -> None:
        self.send(CONTENT, Content_Encoding="gzip")

    def moved(self) -> None:
        self.send(b"", 302, Location="/good")

    def moved_in_circles(self) -> None:
        self.send(b"", 302, Location="/moved_in_circles")

    def forbidden(self) -> None:
        self.send(b"no", 403)

    def page(self) -> None:
        self.send(b"<html>Please accept our terms</html>", Content_Type="text/html")

    def other(self) -> None:
        self.send(CONTENT[::-1])

    def longer(self) -> None:
        self.send(CONTENT + b"more")

    def truncated(self) -> None:
        self.send(CONTENT[:-1000], Content_Length=len(CONTENT))

    def truncated_unnoticed(self) -> None:
        self.send(CONTENT[:-1000], Content_Length=None)

    def strange(self) -> None:
        self.send(CONTENT, Content_Length="many")

    def no_http(self) -> None:
        self.wfile.write(b"\x16\x03\x01" * 50)

    def slow(self) -> None:
        self.server.stop.wait(5)

    def stalling(self) -> None:
        self.send(CONTENT[:100_000], Content_Length=len(CONTENT))
        self.server.stop.wait(5)

    def dripping(self) -> None:
        self.send(b"", Content_Length=len(CONTENT))
        for byte in CONTENT:
            if self.server.stop.wait(SILENCE / 5):
                return
            self.wfile.write(bytes([byte]))


class Mirrors(ThreadingHTTPServer):
    """A server at 127.0.0.1 whose paths are mirrors of one file."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[str] = []
        self.stop = threading.Event()

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients hang up, which is what is tested."""

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.server_port}/{name}"


@pytest.fixture
def mirrors() -> Iterator[Mirrors]:
    with Mirrors() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.stop.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def dead() -> str:
    """An address at which nobody listens."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{unused.getsockname()[1]}/dead"


def file(*urls: str, size: int | None = len(CONTENT)) -> SourceFile:
    return SourceFile(path="hsi/cube.mat", sha256=DIGEST, bytes=size, urls=urls)


def fetch(source: SourceFile, path: Path) -> list[str]:
    return download(source, path, connect=1, silence=SILENCE)


@pytest.mark.parametrize("name", ["good", "chunked", "until_closed", "labelled_gzip", "moved"])
@pytest.mark.parametrize("size", [len(CONTENT), None])
def test_a_good_mirror_is_enough_however_it_sends(
    mirrors: Mirrors, tmp_path: Path, name: str, size: int | None
) -> None:
    assert fetch(file(mirrors.url(name), mirrors.url("other"), size=size), tmp_path / "a" / "cube.mat") == []
    assert (tmp_path / "a" / "cube.mat").read_bytes() == CONTENT
    assert "other" not in mirrors.asked
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["cube.mat"]


BAD = {
    "forbidden": "403 Forbidden",
    "page": "sends 36 bytes that are not the official file",
    "other": "sends 256,000 bytes that are not the official file",
    "longer": "sends more than the 256,000 bytes of the official file",
    "truncated": "1000 more expected",
    "truncated_unnoticed": "sends 255,000 bytes that are not the official file",
    "strange": "",
    "no_http": "",
    "moved_in_circles": "302 Found",
    "slow": "timed out",
    "stalling": "timed out",
    "dripping": "sends less than 4,096 bytes a second",
    "dead": "Connection refused",
    "nowhere": "",
    "no_url": "",
}


@pytest.fixture
def address(mirrors: Mirrors, dead: str) -> dict[str, str]:
    # A name of the domain that is reserved for having no addresses.
    other = {"dead": dead, "nowhere": "http://mirror.invalid/cube.mat", "no_url": "http://[::1"}
    return {name: mirrors.url(name) for name in ["good", *BAD]} | other


@pytest.mark.parametrize("name", BAD)
def test_a_bad_mirror_is_passed_over_for_a_reason(
    address: dict[str, str], tmp_path: Path, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    [reason] = fetch(file(address[name]), tmp_path / "cube.mat")
    assert BAD[name] in reason
    assert reason.isprintable()
    assert list(tmp_path.iterdir()) == []
    assert fetch(file(address[name], address["good"]), tmp_path / "cube.mat") == []
    assert (tmp_path / "cube.mat").read_bytes() == CONTENT
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("name", ["forbidden", "strange", "page"])
def test_the_connection_to_a_bad_mirror_is_closed(address: dict[str, str], tmp_path: Path, name: str) -> None:
    gc.collect()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        fetch(file(address[name]), tmp_path / "cube.mat")
        gc.collect()
    assert [str(warning.message) for warning in seen if warning.category is ResourceWarning] == []


@pytest.mark.parametrize("order", list(itertools.permutations(["dead", "slow", "page", "truncated", "forbidden"], 2)))
def test_after_any_two_bad_mirrors_the_good_one_is_reached(
    address: dict[str, str], mirrors: Mirrors, tmp_path: Path, order: tuple[str, ...]
) -> None:
    urls = [address[name] for name in (*order, "good", "other")]
    assert fetch(file(*urls), tmp_path / "cube.mat") == []
    assert mirrors.asked == [name for name in (*order, "good") if name != "dead"]
    assert [path.name for path in tmp_path.iterdir()] == ["cube.mat"]
    assert (tmp_path / "cube.mat").read_bytes() == CONTENT


def test_each_of_several_bad_mirrors_is_named_with_its_reason(address: dict[str, str], tmp_path: Path) -> None:
    order = ["dead", "page", "truncated", "forbidden"]
    reasons = fetch(file(*(address[name] for name in order)), tmp_path / "cube.mat")
    assert [BAD[name] in reason for name, reason in zip(order, reasons, strict=True)] == [True] * 4
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_file_is_replaced_only_by_the_right_one(address: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "cube.mat").write_bytes(b"half")
    fetch(file(address["truncated"]), tmp_path / "cube.mat")
    assert (tmp_path / "cube.mat").read_bytes() == b"half"
    fetch(file(address["good"]), tmp_path / "cube.mat")
    assert (tmp_path / "cube.mat").read_bytes() == CONTENT


def test_a_folder_that_cannot_be_written_to_is_no_fault_of_a_mirror(address: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "resources").write_bytes(b"a file where a folder should be")
    with pytest.raises(QuantriftError, match=r"cube.mat: cannot be written .*set data.downloads"):
        fetch(file(address["good"]), tmp_path / "resources" / "cube.mat")


def test_a_full_disk_is_no_fault_of_a_mirror(address: dict[str, str], tmp_path: Path) -> None:
    # A limit on the size of files, which a write meets as it meets the end of a disk.
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(CONTENT) // 2, before[1]))
    try:
        with pytest.raises(QuantriftError, match=r"cube.mat: cannot be written .*make room"):
            fetch(file(address["good"]), tmp_path / "cube.mat")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []
