"""Whatever bytes a file holds, its loader gives a result or one line that says what is wrong and what to do."""

import gzip
import hashlib
import io
import struct
import tarfile
from collections.abc import Callable
from pathlib import Path

import keras
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quantrift.core.base import table_files
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.table_columns import Lists, Types
from quantrift.core.base.table_parquet import SETTINGS
from quantrift.core.base.yaml_files import read_yaml
from quantrift.core.networks.operation_audit import audit
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.core.search.record_columns import damage_named
from quantrift.core.search.record_columns import settings as settings_of
from quantrift.core.settings.datasets import SourceFile
from quantrift.study.datasets.kinds import cifar_archive, npz_images
from quantrift.study.datasets.kinds.idx_images import read_idx
from quantrift.study.datasets.official import Places

LONG = 10
"""Factor on the number of examples of ``make test`` in the nightly tests."""
profiles = pytest.mark.parametrize("times", [1, pytest.param(LONG, marks=pytest.mark.nightly, id="long")])
CUBE = np.arange(4 * 3 * 5, dtype=np.uint16).reshape(4, 3, 5)


def mutated(content: bytes) -> st.SearchStrategy[bytes]:
    """The content with up to 20 bytes replaced, most often where formats keep their structure, and often cut short."""
    last = len(content) - 1
    places = st.integers(0, min(300, last)) | st.integers(max(0, last - 6000), last) | st.integers(0, last)
    changes = st.lists(st.tuples(places, st.integers(0, 255)), max_size=20)

    def changed(changes: list[tuple[int, int]], end: int) -> bytes:
        copy = bytearray(content)
        for place, byte in changes:
            copy[place] = byte
        return bytes(copy[:end])

    return st.builds(changed, changes, st.just(len(content)) | st.integers(0, last))


def fuzz(times: int, examples: int, contents: st.SearchStrategy[bytes], load: Callable[[bytes], object]) -> None:
    """Load many contents; anything but a result or one line with something to do fails."""

    @settings(max_examples=examples * times)
    @given(contents)
    @example(b"")
    def check(content: bytes) -> None:
        refusal = ""
        try:
            load(content)
        except QuantriftError as error:
            refusal = str(error)
        assert len(refusal.splitlines()) <= 1
        assert not refusal or "; " in refusal or "expected 'key: value' lines" in refusal

    check()


@profiles
@pytest.mark.parametrize("dimensions", [1, 3])
def test_idx_files(times: int, dimensions: int, tmp_path: Path) -> None:
    def load(content: bytes) -> None:
        (tmp_path / "some.gz").write_bytes(content)
        assert read_idx(tmp_path / "some.gz", dimensions).ndim == dimensions

    shape = (3, 4, 5)[:dimensions]
    plain = struct.pack(f">4B{dimensions}I", 0, 0, 8, dimensions, *shape) + bytes(range(np.prod(shape)))
    header = st.binary(max_size=40).map(lambda rest: bytes([0, 0, 8, dimensions]) + rest)
    packed = (mutated(plain) | header | st.binary()).map(lambda content: gzip.compress(content, mtime=0))
    fuzz(times, 700, packed | mutated(gzip.compress(plain, mtime=0)) | st.binary(max_size=100), load)


@profiles
def test_npz_files(times: int, tmp_path: Path) -> None:
    def load(content: bytes) -> None:
        (tmp_path / "some.npz").write_bytes(content)
        file = SourceFile(path="some.npz", sha256=hashlib.sha256(content).hexdigest())
        settings = npz_images.Settings(kind="npz_images", title="x", class_names=["a", "b", "c"], file=file)
        assert npz_images.arrays(settings, Places(tmp_path))["images"].ndim == 4

    arrays = {"x_train": np.zeros((3, 2, 2, 1)), "y_train": [0, 1, 2], "x_test": np.ones((1, 2, 2, 1)), "y_test": [0]}
    content = {name: np.asarray(value, np.uint8) for name, value in arrays.items()}
    files = []
    for save in (np.savez, np.savez_compressed):
        file = io.BytesIO()
        save(file, allow_pickle=False, **content)
        files.append(file.getvalue())
    fuzz(times, 700, mutated(files[0]) | mutated(files[1]) | st.binary(max_size=100), load)


@profiles
def test_cifar_archives(times: int, tmp_path: Path) -> None:
    def load(content: bytes) -> None:
        (tmp_path / "some.tar.gz").write_bytes(content)
        file = SourceFile(path="some.tar.gz", sha256=hashlib.sha256(content).hexdigest())
        settings = cifar_archive.Settings(kind="cifar_archive", title="x", class_names=["a", "b"], archive=file)
        assert cifar_archive.arrays(settings, Places(tmp_path))["images"].ndim == 4

    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name in [*(f"data_batch_{number}.bin" for number in range(1, 6)), "test_batch.bin"]:
            member = tarfile.TarInfo(f"cifar-10-batches-bin/{name}")
            member.size = 3073
            archive.addfile(member, io.BytesIO(bytes(3073)))
    packed = mutated(file.getvalue()).map(lambda content: gzip.compress(content, 1, mtime=0))
    fuzz(times, 700, packed | mutated(gzip.compress(file.getvalue(), mtime=0)) | st.binary(max_size=100), load)


@pytest.fixture(scope="module")
def network() -> bytes:
    """Content of the .tflite file of a small network."""
    x = image = keras.Input((8, 8, 3))
    x = keras.layers.Conv2D(2, 3, activation="relu")(x)
    x = keras.layers.Dense(4)(keras.layers.Flatten()(x))
    return to_tflite(keras.Model(image, x))


@profiles
def test_audit_of_networks(times: int, network: bytes) -> None:
    def load(content: bytes) -> None:
        report = audit(content)
        assert 0 <= report["int8_mac_share"] <= 1
        assert report["ops"]

    identified = st.binary(max_size=200).map(lambda rest: rest[:4].ljust(4, b"\0") + b"TFL3" + rest[4:])
    fuzz(times, 1500, mutated(network) | identified | st.binary(max_size=200), load)


@profiles
def test_settings_of_records(times: int, tmp_path: Path) -> None:
    file = io.BytesIO()
    table = pa.table({"vector": [[1.0], None]})
    pq.write_table(table.replace_schema_metadata({SETTINGS: b'{"tool": "pso_div"}'}), file)

    def load(content: bytes) -> None:
        (tmp_path / "seeds.parquet").write_bytes(content)
        settings_of(tmp_path / "seeds.parquet")

    fuzz(times, 800, mutated(file.getvalue()) | st.binary(max_size=200), load)


@profiles
def test_records_in_npz(times: int, tmp_path: Path) -> None:
    types: Types = {"input": np.dtype(np.int64), "vector": Lists(np.dtype(np.float32))}
    cells = {"input": [3, 4, 5], "vector": [[0.5, 1.0], None, [1.5, 2.0]]}
    table_files.write(tmp_path / "whole.npz", types, '{"tool": "pso_div"}', cells)
    file = tmp_path / "seeds.npz"

    def load(content: bytes) -> None:
        file.write_bytes(content)
        settings_of(file)
        with damage_named(file):
            assert all(vectors.ndim == 2 for _, vectors in table_files.holding(file, "vector", ["input"], 10))

    fuzz(times, 800, mutated((tmp_path / "whole.npz").read_bytes()) | st.binary(max_size=200), load)


@profiles
def test_configuration(times: int, tmp_path: Path) -> None:
    def load(content: bytes) -> None:
        (tmp_path / "mine.yaml").write_bytes(content)
        assert isinstance(read_yaml(tmp_path / "mine.yaml"), dict)

    plain = b"scale: mine\nall: [a, b]\ntools: &x {a: !!int 1, 2001-01-01: 1e3}\nmore: {<<: *x, b: |-\n  text}\n"
    fuzz(times, 500, mutated(plain) | st.text(max_size=60).map(str.encode) | st.binary(max_size=60), load)
