"""idx files: read as they are, refused when anything is off."""

import gzip
import hashlib
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from quantrift.core.base.errors import QuantriftError
from quantrift.core.settings.datasets import SourceFile
from quantrift.study.datasets.kinds import idx_images
from quantrift.study.datasets.official import Places


def idx(array: np.ndarray, *, kind: int = 8) -> bytes:
    return struct.pack(f">4B{array.ndim}I", 0, 0, kind, array.ndim, *array.shape) + array.astype(np.uint8).tobytes()


def put(folder: Path, name: str, content: bytes) -> SourceFile:
    packed = gzip.compress(content, mtime=0)
    (folder / name).write_bytes(packed)
    return SourceFile(path=name, sha256=hashlib.sha256(packed).hexdigest())


def dataset(folder: Path, **changed: np.ndarray) -> idx_images.Settings:
    arrays = {
        "train_images": np.arange(3 * 28 * 28).reshape(3, 28, 28) % 256,
        "train_labels": np.array([0, 1, 1]),
        "test_images": np.zeros((2, 28, 28)),
        "test_labels": np.array([1, 0]),
        **changed,
    }
    files = {name: put(folder, f"{name}.gz", idx(array)) for name, array in arrays.items()}
    return idx_images.Settings.model_validate(
        {"kind": "idx_images", "title": "Two digits", "class_names": ["0", "1"], **files}
    )


def test_images_keep_values_labels_and_official_split(tmp_path: Path) -> None:
    arrays = idx_images.arrays(dataset(tmp_path), Places(tmp_path))
    assert arrays["images"].shape == (5, 28, 28, 1)
    assert arrays["images"].dtype == np.uint8
    assert arrays["images"][1, 0, 0, 0] == 784 % 256
    assert arrays["labels"].tolist() == [0, 1, 1, 1, 0]
    assert arrays["train"].tolist() == [0, 1, 2]
    assert arrays["test"].tolist() == [3, 4]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "begins with nothing"),
        (b"\0\0\x08", "begins with 000008"),
        (idx(np.zeros((2, 2))), "in 1 dimension"),
        (idx(np.zeros(2), kind=0x0D), "begins with 00000d01"),
        (idx(np.zeros(2))[:-1], "holds 1 bytes of data, its header announces 2"),
        (idx(np.zeros(2)) + b"x", "holds 3 bytes of data, its header announces 2"),
        (struct.pack(">4BI", 0, 0, 8, 1, 2**32 - 1), "announces 4294967295"),
        (idx(np.zeros(0)), "holds nothing"),
    ],
)
def test_a_malformed_file_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    put(tmp_path, "labels.gz", content)
    with pytest.raises(QuantriftError, match=says):
        idx_images.read_idx(tmp_path / "labels.gz", dimensions=1)


def test_images_without_pixels_are_refused_however_many_there_are_said_to_be(tmp_path: Path) -> None:
    put(tmp_path, "images.gz", struct.pack(">4B3I", 0, 0, 8, 3, 2**32 - 1, 2**32 - 1, 0))
    with pytest.raises(QuantriftError, match="holds nothing, its header announces 4294967295x4294967295x0"):
        idx_images.read_idx(tmp_path / "images.gz", dimensions=3)


@pytest.mark.parametrize("damage", [lambda packed: b"plain text", lambda packed: packed[:-9]])
def test_a_damaged_gzip_file_is_refused(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "labels.gz"
    path.write_bytes(damage(gzip.compress(idx(np.arange(50)))))
    with pytest.raises(QuantriftError, match="not a complete gzip file"):
        idx_images.read_idx(path, dimensions=1)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"train_labels": np.array([0, 1])}, "2 labels for the 3 images"),
        ({"test_labels": np.array([1, 2])}, "holds label 2, but 2 class names"),
        ({"test_images": np.zeros((2, 14, 14))}, r"images of shape \(14, 14, 1\), those for training .*28"),
    ],
)
def test_files_that_do_not_fit_each_other_are_refused(
    tmp_path: Path, changed: dict[str, np.ndarray], says: str
) -> None:
    with pytest.raises(QuantriftError, match=says):
        idx_images.arrays(dataset(tmp_path, **changed), Places(tmp_path))
