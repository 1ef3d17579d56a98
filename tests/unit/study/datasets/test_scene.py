"""Published scenes: read as they are, refused when cube, ground truth and names do not fit."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import savemat

from quantrift.core.base.errors import QuantriftError
from quantrift.core.settings.datasets import SourceFile
from quantrift.study.datasets.kinds import scene
from quantrift.study.datasets.official import Places

CUBE = np.arange(4 * 3 * 5, dtype=np.uint16).reshape(4, 3, 5)
TRUTH = np.array([[0, 1, 1], [0, 3, 3], [0, 0, 0], [1, 1, 3]], np.uint8)


def put(folder: Path, name: str, variables: dict[str, Any], key: str | None) -> SourceFile:
    path = folder / name
    savemat(path, variables)
    return SourceFile(path=name, sha256=hashlib.sha256(path.read_bytes()).hexdigest(), key=key)


def settings(
    folder: Path,
    cube: Any = CUBE,
    truth: Any = TRUTH,
    cube_key: str | None = "cube",
    truth_key: str | None = "gt",
) -> scene.Settings:
    return scene.Settings(
        kind="scene",
        title="Scene",
        class_names=["asphalt", "gravel", "trees"],
        cube=put(folder, "cube.mat", {"cube": cube}, cube_key),
        ground_truth=put(folder, "gt.mat", {"gt": truth}, truth_key),
    )


def test_cube_keeps_its_integers_and_absent_classes_their_number(tmp_path: Path) -> None:
    arrays = scene.arrays(settings(tmp_path), Places(tmp_path))
    np.testing.assert_array_equal(arrays["cube"], CUBE, strict=True)
    np.testing.assert_array_equal(arrays["ground_truth"], TRUTH.astype(np.int64), strict=True)


def test_floating_point_cubes_become_float32_and_whole_labels_integers(tmp_path: Path) -> None:
    arrays = scene.arrays(settings(tmp_path, CUBE / 7, TRUTH.astype(float)), Places(tmp_path))
    assert arrays["cube"].dtype == np.float32
    np.testing.assert_array_equal(arrays["ground_truth"], TRUTH)


def test_the_only_variable_needs_no_key(tmp_path: Path) -> None:
    arrays = scene.arrays(settings(tmp_path, cube_key=None, truth_key=None), Places(tmp_path))
    np.testing.assert_array_equal(arrays["ground_truth"], TRUTH)


def with_one(value: float) -> np.ndarray:
    cube = CUBE.astype(float)
    cube[1, 1, 1] = value
    return cube


@pytest.mark.parametrize(
    ("cube", "truth", "says"),
    [
        (with_one(np.nan), TRUTH, "cube.mat: 1 values are not finite"),
        (with_one(np.inf), TRUTH, "cube.mat: 1 values are not finite"),
        (with_one(1e300), TRUTH, "cube.mat: 1 values are not finite in 32 bits"),
        (CUBE, TRUTH.T, "gt.mat: 3x4 labels for a scene of 4x3 pixels"),
        (CUBE, TRUTH + 1, "gt.mat: holds label 4, but 3 class names"),
        (CUBE, TRUTH.astype(np.int16) - 1, "gt.mat: holds label -1"),
        (CUBE, TRUTH / 2, "gt.mat: holds label 0.5"),
        (CUBE, TRUTH * 0, "gt.mat: no pixel has a label"),
        (CUBE[0], TRUTH, "not numbers in 3 dimensions"),
        (CUBE + 1j, TRUTH, "holds no real numbers"),
        ({"a": 1}, TRUTH, "holds no real numbers"),
        ("text", TRUTH, "holds no real numbers"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_unsuitable_arrays_are_refused_in_one_line(tmp_path: Path, cube: Any, truth: Any, says: str) -> None:
    with pytest.raises(QuantriftError, match=says) as caught:
        scene.arrays(settings(tmp_path, cube, truth), Places(tmp_path))
    assert "\n" not in str(caught.value)


def test_a_missing_key_names_the_nearest_variable(tmp_path: Path) -> None:
    with pytest.raises(QuantriftError, match="has no variable 'cub'; did you mean 'cube'"):
        scene.arrays(settings(tmp_path, cube_key="cub"), Places(tmp_path))


def test_two_variables_without_a_key_are_refused(tmp_path: Path) -> None:
    several = put(tmp_path, "both.mat", {"first": CUBE, "second": CUBE}, None)
    with pytest.raises(QuantriftError, match="valid: first, second"):
        scene.arrays(settings(tmp_path).model_copy(update={"cube": several}), Places(tmp_path))


@pytest.mark.parametrize("content", [b"", b"no MATLAB file at all", b"\x89HDF\r\n\x1a\n" + bytes(600)])
def test_a_file_of_another_format_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "other.mat").write_bytes(content)
    other = SourceFile(path="other.mat", sha256=hashlib.sha256(content).hexdigest(), key="cube")
    with pytest.raises(QuantriftError, match=r"other.mat: not a MATLAB 5 file"):
        scene.arrays(settings(tmp_path).model_copy(update={"cube": other}), Places(tmp_path))
