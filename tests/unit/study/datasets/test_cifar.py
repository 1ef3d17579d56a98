"""CIFAR-10's binary archive, in the official layout but small: read as it is, refused when anything is off."""

import gzip
import hashlib
import io
import tarfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from quantrift.core.base.errors import QuantriftError
from quantrift.study.datasets.kinds import cifar_archive
from quantrift.study.datasets.official import Places

BATCHES = [f"data_batch_{number}.bin" for number in range(1, 6)]
NAME = "cifar-10-binary.tar.gz"
EACH = 2
"""Records of each training batch."""


def record(label: int, image: np.ndarray) -> bytes:
    """As CIFAR-10's page describes it: the label, then the red, the green and the blue plane, row by row."""
    return bytes([label]) + b"".join(image[:, :, channel].tobytes() for channel in range(3))


def images(count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (count, 32, 32, 3), np.uint8)


def files() -> dict[str, bytes]:
    """Two records in each batch, of labels 0 1, 1 2, 2 3 ...; three of label 9 in the test batch."""
    made = {
        name: b"".join(record(number + k, image) for k, image in enumerate(images(EACH, number)))
        for number, name in enumerate(BATCHES)
    }
    return made | {"test_batch.bin": b"".join(record(9, image) for image in images(3, 9))}


def plain(contents: dict[str, bytes], folder: str = "cifar-10-batches-bin/") -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        directory = tarfile.TarInfo(folder)
        directory.type = tarfile.DIRTYPE
        archive.addfile(directory)
        for name, content in {**contents, "batches.meta.txt": b"airplane\n", "readme.html": b"<p>"}.items():
            member = tarfile.TarInfo(folder + name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return file.getvalue()


def read(folder: Path, content: bytes) -> dict[str, np.ndarray]:
    (folder / NAME).write_bytes(content)
    archive = {"path": NAME, "sha256": hashlib.sha256(content).hexdigest()}
    settings = {"kind": "cifar_archive", "title": "Small", "class_names": list("abcdefghij"), "archive": archive}
    return cifar_archive.arrays(cifar_archive.Settings.model_validate(settings), Places(folder))


def refusal(folder: Path, content: bytes) -> str:
    with pytest.raises(QuantriftError) as caught:
        read(folder, content)
    message = str(caught.value)
    assert message.startswith(f"{folder / NAME}: ")
    assert len(message.splitlines()) == 1
    assert "; " in message
    return message


def test_images_keep_values_labels_and_official_split(tmp_path: Path) -> None:
    contents = files()
    shuffled = {name: contents[name] for name in sorted(contents, reverse=True)}
    arrays = read(tmp_path, gzip.compress(plain(shuffled)))
    expected = [*(images(EACH, number) for number in range(5)), images(3, 9)]
    np.testing.assert_array_equal(arrays["images"], np.concatenate(expected), strict=True)
    assert arrays["images"].flags.c_contiguous
    assert arrays["labels"].tolist() == [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 9, 9, 9]
    assert arrays["labels"].dtype == np.int64
    assert arrays["train"].tolist() == list(range(10))
    assert arrays["test"].tolist() == [10, 11, 12]


def test_nothing_is_unpacked(tmp_path: Path) -> None:
    read(tmp_path, gzip.compress(plain(files(), folder="../elsewhere/")))
    assert [path.name for path in tmp_path.iterdir()] == [NAME]
    assert not (tmp_path.parent / "elsewhere").exists()


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda packed: b"", "not a complete .tar.gz archive ("),
        (lambda packed: b"<html>maintenance</html>", "not a complete .tar.gz archive ("),
        (lambda packed: gzip.decompress(packed), "not a complete .tar.gz archive (not a gzip file)"),
        (lambda packed: packed[: len(packed) // 2], "not a complete .tar.gz archive ("),
        (lambda packed: gzip.compress(gzip.decompress(packed)[:9000]), "archive (unexpected end of data)"),
        (lambda packed: gzip.compress(b"text"), "not a complete .tar.gz archive ("),
    ],
)
def test_a_truncated_or_foreign_file_is_refused(tmp_path: Path, damage: Callable[[bytes], bytes], says: str) -> None:
    assert says in refusal(tmp_path, damage(gzip.compress(plain(files()))))


@pytest.mark.parametrize("missing", ["data_batch_4.bin", "test_batch.bin"])
def test_a_missing_file_is_named(tmp_path: Path, missing: str) -> None:
    contents = files()
    del contents[missing]
    assert f"holds no {missing}; name the binary version" in refusal(tmp_path, gzip.compress(plain(contents)))


def test_the_archive_for_python_is_refused(tmp_path: Path) -> None:
    pickles = {name.removesuffix(".bin"): content for name, content in files().items()}
    message = refusal(tmp_path, gzip.compress(plain(pickles)))
    assert "holds no data_batch_1.bin; name the binary version, cifar-10-binary.tar.gz" in message


@pytest.mark.parametrize("content", [b"", bytes(3072), bytes(2 * 3073 + 1)])
def test_a_file_that_is_no_row_of_records_is_refused(tmp_path: Path, content: bytes) -> None:
    message = refusal(tmp_path, gzip.compress(plain(files() | {"data_batch_2.bin": content})))
    assert f"data_batch_2.bin: {len(content)} bytes, not a whole number of records of 3073" in message


def test_a_label_without_a_name_is_refused(tmp_path: Path) -> None:
    content = record(10, images(1, 0)[0])
    message = refusal(tmp_path, gzip.compress(plain(files() | {"test_batch.bin": content})))
    assert "test_batch.bin: holds label 10, but 10 class names are given" in message


@pytest.mark.parametrize("kind", [tarfile.REGTYPE, tarfile.SYMTYPE])
def test_a_file_that_is_a_link_or_stands_twice_is_refused(tmp_path: Path, kind: bytes) -> None:
    contents = files()
    second = contents.pop("test_batch.bin") if kind == tarfile.SYMTYPE else b""
    file = io.BytesIO(plain(contents))
    with tarfile.open(fileobj=file, mode="a") as archive:
        member = tarfile.TarInfo("test_batch.bin")
        member.type, member.linkname = kind, "/etc/passwd"
        archive.addfile(member, io.BytesIO(second))
    assert "test_batch.bin stands in it twice or is no plain file" in refusal(tmp_path, gzip.compress(file.getvalue()))
