"""What a user's file holds is found out, and refused in one line where it cannot be used."""

from pathlib import Path

import numpy as np
import pytest

from quantrift.assess.given import read
from quantrift.assess.layout import channels_last
from quantrift.assess.scaling import scaled
from quantrift.config.errors import QuantriftError
from quantrift.data.inputs import ImageStack, Inputs, ValueStack

BYTES = np.random.default_rng(0).integers(0, 256, (40, 6, 5, 3)).astype(np.uint8)
BYTES[0, 0, 0], BYTES[0, 0, 1] = 0, 255
TRUTH = np.arange(40) % 4
CLASSES = ["a", "b", "c", "d"]


class Remembers:
    """Right on inputs that are close to those it was made of, else class 0."""

    input_shape = (6, 5, 3)
    classes = 4

    def __init__(self, known: np.ndarray, labels: np.ndarray = TRUTH) -> None:
        self.known, self.labels = known.astype(np.float32), labels

    def __call__(self, x: np.ndarray) -> np.ndarray:
        distance = np.abs(x[:, None] - self.known[None]).mean(axis=(2, 3, 4))
        near = distance.min(axis=1) < 0.01 * np.ptp(self.known)
        return np.eye(4, dtype=np.float32)[np.where(near, self.labels[distance.argmin(axis=1)], 0)]


def saved(folder: Path, **arrays: np.ndarray) -> Path:
    np.savez(folder / "data.npz", **arrays)  # type: ignore[arg-type]
    return folder / "data.npz"


def refused(path: Path, *, array: str | None = None, labels: str | None = None) -> str:
    with pytest.raises(QuantriftError) as caught:
        read(path, array, labels)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_inputs_and_labels_are_found_by_their_names(tmp_path: Path) -> None:
    found = read(saved(tmp_path, x_test=BYTES, y_test=TRUTH, class_names=np.array(CLASSES)))
    assert np.array_equal(found.values, BYTES)
    assert found.labels is not None
    assert found.labels.tolist() == TRUTH.tolist()
    assert found.class_names == CLASSES
    assert found.assumed == ["inputs: array 'x_test' of data.npz", "labels: array 'y_test'"]


def test_the_only_array_of_images_is_the_inputs_and_one_hot_rows_are_labels(tmp_path: Path) -> None:
    found = read(saved(tmp_path, pictures=BYTES, what=np.eye(4)[TRUTH]), labels="what")
    assert found.labels is not None
    assert found.labels.tolist() == TRUTH.tolist()
    assert "one-hot" in found.assumed[-1]


def test_labels_may_be_missing(tmp_path: Path) -> None:
    found = read(saved(tmp_path, inputs=BYTES))
    assert found.labels is None
    assert "labels: none" in found.assumed[-1]


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    assert "no such file" in refused(tmp_path / "missing.npz")
    (tmp_path / "empty.npz").touch()
    assert "is empty" in refused(tmp_path / "empty.npz")
    (tmp_path / "text.npz").write_text("hello")
    assert "not a .npz file" in refused(tmp_path / "text.npz")


def test_names_that_a_file_does_not_hold_are_refused(tmp_path: Path) -> None:
    path = saved(tmp_path, inputs=BYTES, labels=TRUTH)
    assert "no array 'input'; did you mean 'inputs'?" in refused(path, array="input")
    assert "no array 'label' for the labels; did you mean 'labels'?" in refused(path, labels="label")
    assert "no array 'inputs' among vectors" in refused(saved(tmp_path, vectors=TRUTH))


def test_several_inputs_are_refused(tmp_path: Path) -> None:
    assert "several arrays could be the inputs (left, right)" in refused(saved(tmp_path, left=BYTES, right=BYTES))


def test_values_that_are_no_images_are_refused(tmp_path: Path) -> None:
    broken = BYTES.astype(np.float32)
    broken[[3, 7], 0, 0, 0] = np.nan, np.inf
    assert "NaN or infinity in 2 of 40 inputs, first in number 3" in refused(saved(tmp_path, inputs=broken))
    assert "expected at least one image" in refused(saved(tmp_path, inputs=BYTES[:0]))
    assert "all values" in refused(saved(tmp_path, inputs=np.zeros_like(BYTES)))
    assert "holds <U1" in refused(saved(tmp_path, inputs=np.full((2, 2, 2), "a")))
    assert "one label for each of 40 inputs" in refused(saved(tmp_path, inputs=BYTES, labels=TRUTH[:5]))
    assert "no whole numbers" in refused(saved(tmp_path, inputs=BYTES, labels=TRUTH - 0.5))


def test_axes_are_put_in_order() -> None:
    last, said = channels_last(BYTES, (6, 5, 3), "data.npz", "net")
    assert np.array_equal(last, BYTES)
    assert "channels last" in said
    first, said = channels_last(np.moveaxis(BYTES, 3, 1), (6, 5, 3), "data.npz", "net")
    assert np.array_equal(first, BYTES)
    assert "channels first" in said
    grey, said = channels_last(BYTES[..., 0], (6, 5, 1), "data.npz", "net")
    assert grey.shape == (40, 6, 5, 1)


@pytest.mark.parametrize(("shape", "image"), [((5, 6, 3), (6, 5, 3)), ((7, 7, 3), (6, 5, 3)), ((3, 8, 8), (3, 8, 8))])
def test_other_layouts_are_refused(shape: tuple[int, int, int], image: tuple[int, int, int]) -> None:
    with pytest.raises(QuantriftError, match="wrong layout"):
        channels_last(np.zeros((2, *shape)), image, "data.npz", "net")


def find(
    values: np.ndarray, network: Remembers, labels: np.ndarray | None = TRUTH, **expected: tuple[float, float]
) -> tuple[Inputs, str]:
    said = scaled(values, labels, CLASSES, network, expected, Path("data.npz"))
    return said.inputs, said.assumed[0]


@pytest.mark.parametrize(("black", "white"), [(0, 1), (0, 255), (-1, 1)])
def test_bytes_get_the_scale_under_which_the_original_is_right(black: float, white: float) -> None:
    wanted = BYTES / np.float32(255) * np.float32(white - black) + np.float32(black)
    inputs, said = find(BYTES, Remembers(wanted))
    assert isinstance(inputs, ImageStack)
    assert inputs.data_range == (black, white)
    assert np.allclose(inputs.take(inputs.test), wanted)
    assert f"black taken as {black} and white as {white}" in said


def test_without_labels_a_quantized_input_tells_the_scale() -> None:
    network = Remembers(BYTES / np.float32(255))
    assert find(BYTES, network, None, int8=(-0.99, 1.0))[0].data_range == (-1, 1)
    assert find(BYTES, network, None)[0].data_range == (0, 255)


@pytest.mark.parametrize(("black", "white"), [(0, 1), (0, 255), (-1, 1), (-0.4242, 2.8215)])
def test_numbers_on_the_grid_of_bytes_are_images_and_used_as_given(black: float, white: float) -> None:
    given = (BYTES / 255 * (white - black) + black).astype(np.float32)
    inputs, said = find(given, Remembers(given))
    assert isinstance(inputs, ImageStack)
    assert np.array_equal(inputs.images, BYTES)
    assert np.abs(inputs.take(inputs.test) - given).max() <= 1e-6 * (white - black)
    assert "used as given" in said


def test_other_numbers_are_kept_bit_for_bit() -> None:
    given = np.random.default_rng(1).normal(size=BYTES.shape).astype(np.float32)
    inputs, said = find(given, Remembers(given))
    assert isinstance(inputs, ValueStack)
    assert np.array_equal(inputs.take(inputs.test), given)
    assert "standardised" in said


def test_without_labels_what_the_original_says_stands_for_them() -> None:
    given = BYTES / np.float32(255)
    assert find(given, Remembers(given, TRUTH[::-1]), None)[0].labels.tolist() == TRUTH[::-1].tolist()


def test_inputs_out_of_range_are_refused() -> None:
    network = Remembers(BYTES / np.float32(255))
    with pytest.raises(QuantriftError, match=r"out of range: the original is right on .* 100.0% divided by 255"):
        find(BYTES.astype(np.float64), network)
    with pytest.raises(QuantriftError, match="the 8-bit input of int8 stands for 0 to 1"):
        find(BYTES.astype(np.float32), network, None, int8=(0.0, 1.0))
    with pytest.raises(QuantriftError, match="stands for 0 to 255"):
        find(BYTES / np.float32(255), network, None, int8=(0.0, 255.0))


def test_labels_beyond_the_classes_are_refused() -> None:
    with pytest.raises(QuantriftError, match="labels reach 4, but the original tells 4 classes"):
        find(BYTES, Remembers(BYTES), TRUTH + 1)
