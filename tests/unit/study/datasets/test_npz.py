"""Images in one .npz file: read as they are, refused when anything is off."""

import hashlib
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quantrift.core.base.errors import QuantriftError
from quantrift.study.datasets.kinds import npz_images
from quantrift.study.datasets.official import Places

ARRAYS = {
    "x_train": np.arange(3 * 4 * 5 * 3, dtype=np.uint8).reshape(3, 4, 5, 3),
    "y_train": np.array([1, 0, 1], np.uint8),
    "x_test": np.full((2, 4, 5, 3), 9, np.uint8),
    "y_test": np.array([0, 1], np.uint8),
}
NAME = "some.npz"


def read(folder: Path) -> dict[str, np.ndarray]:
    digest = hashlib.sha256((folder / NAME).read_bytes()).hexdigest()
    file = {"path": NAME, "sha256": digest}
    settings = {"kind": "npz_images", "title": "Two classes", "class_names": ["a", "b"], "file": file}
    return npz_images.arrays(npz_images.Settings.model_validate(settings), Places(folder))


def refusal(folder: Path) -> str:
    with pytest.raises(QuantriftError) as caught:
        read(folder)
    message = str(caught.value)
    assert message.startswith(f"{folder / NAME}: ")
    assert len(message.splitlines()) == 1
    assert "; " in message
    return message


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_images_keep_values_labels_and_the_split_of_the_file(tmp_path: Path, save: Callable[..., None]) -> None:
    save(tmp_path / NAME, **ARRAYS, more=np.zeros(3))
    arrays = read(tmp_path)
    assert set(arrays) == {"images", "labels", "train", "test"}
    np.testing.assert_array_equal(arrays["images"][:3], ARRAYS["x_train"], strict=True)
    np.testing.assert_array_equal(arrays["images"][3:], ARRAYS["x_test"], strict=True)
    assert arrays["labels"].tolist() == [1, 0, 1, 0, 1]
    assert arrays["labels"].dtype == np.int64
    assert arrays["train"].tolist() == [0, 1, 2]
    assert arrays["test"].tolist() == [3, 4]


def test_images_stored_column_by_column_are_turned_into_the_usual_order(tmp_path: Path) -> None:
    columns = {name: np.asfortranarray(array) for name, array in ARRAYS.items()}
    np.savez(tmp_path / NAME, allow_pickle=False, **columns)
    images = read(tmp_path)["images"]
    assert images.flags.c_contiguous
    np.testing.assert_array_equal(images[:3], ARRAYS["x_train"])


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"x_train": ARRAYS["x_train"] / 255}, r"x_train is float64 of shape \(3, 4, 5, 3\), expected uint8 in 4 dim"),
        ({"y_test": np.array([0, 1])}, r"y_test is int64 of shape \(2,\), expected uint8 in 1 dimension"),
        ({"x_test": ARRAYS["x_test"][..., 0]}, r"x_test is uint8 of shape \(2, 4, 5\), expected uint8 in 4"),
        ({"y_train": ARRAYS["y_train"][:, None]}, r"y_train is uint8 of shape \(3, 1\)"),
        ({"y_train": ARRAYS["y_test"]}, "y_train: 2 labels for the 3 images of .*x_train"),
        ({"y_test": np.array([0, 2], np.uint8)}, "y_test: holds label 2, but 2 class names"),
        ({"x_test": ARRAYS["x_test"][:, :2]}, r"x_test: images of shape \(2, 5, 3\), those for training have \(4, 5"),
        ({"x_test": ARRAYS["x_test"][:0], "y_test": ARRAYS["y_test"][:0]}, "x_test: holds no pixel"),
        ({"x_train": ARRAYS["x_train"][:, :, :0]}, "x_train: holds no pixel"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(tmp_path: Path, changed: dict[str, np.ndarray], says: str) -> None:
    np.savez(tmp_path / NAME, allow_pickle=False, **(ARRAYS | changed))
    with pytest.raises(QuantriftError, match=says):
        read(tmp_path)
    refusal(tmp_path)


def test_a_missing_array_is_named_with_the_nearest_one(tmp_path: Path) -> None:
    np.savez(tmp_path / NAME, allow_pickle=False, **{name.replace("x_test", "x_tst"): ARRAYS[name] for name in ARRAYS})
    assert "has no array 'x_test'; did you mean 'x_tst'?" in refusal(tmp_path)


def test_pickles_are_refused_without_being_loaded(tmp_path: Path) -> None:
    class Loaded:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (tmp_path / "loaded",))

    objects = np.array([Loaded()] * 3, object)
    np.savez(tmp_path / NAME, allow_pickle=True, **(ARRAYS | {"y_train": objects}))
    assert "not a .npz file of plain arrays (ValueError: 'y_train.npy' holds Python objects" in refusal(tmp_path)
    np.save(tmp_path / "objects.npy", objects)
    (tmp_path / "objects.npy").replace(tmp_path / NAME)
    assert "not a .npz file" in refusal(tmp_path)
    assert not (tmp_path / "loaded").exists()


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda content: b"", "some.npz: is empty; write it with numpy.savez"),
        (lambda content: b"text", "not a .npz file of plain arrays ("),
        (lambda content: content[:-30], "not a .npz file of plain arrays ("),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, damage: Callable[[bytes], bytes], says: str) -> None:
    np.savez(tmp_path / NAME, allow_pickle=False, **ARRAYS)
    (tmp_path / NAME).write_bytes(damage((tmp_path / NAME).read_bytes()))
    assert says in refusal(tmp_path)


def test_a_zip_file_of_something_else_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / NAME, "w") as file:
        for name in ARRAYS:
            file.writestr(name, "not an array")
    assert "not a .npz file of plain arrays (ValueError: 'x_train' in it is no array)" in refusal(tmp_path)
