"""The arrays in a user's file are detected, and refused in one line where they cannot be used."""

from pathlib import Path

import numpy as np
import pytest

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import ImageStack, Inputs, ValueStack
from quantrift.core.networks.graphs.first_operations import Start
from quantrift.judge.intake.expected_ranges import Expected, Finding, saturated
from quantrift.judge.intake.fitted_inputs import channels_last
from quantrift.judge.intake.given_inputs import read
from quantrift.judge.intake.input_form import FROM_FILES, InputForm
from quantrift.judge.intake.scaling import Known, Said, scaled

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


def test_inputs_that_fit_in_both_orders_stand_as_the_file_takes_them() -> None:
    cube = np.arange(54).reshape(2, 3, 3, 3)
    assert np.array_equal(channels_last(cube, (3, 3, 3), "data.npz", "net")[0], cube)
    turned, said = channels_last(cube, (3, 3, 3), "data.npz", "net", first=True)
    assert np.array_equal(turned, np.moveaxis(cube, 1, 3))
    assert "channels first" in said


@pytest.mark.parametrize(("shape", "image"), [((5, 6, 3), (6, 5, 3)), ((7, 7, 3), (6, 5, 3))])
def test_other_layouts_are_refused(shape: tuple[int, int, int], image: tuple[int, int, int]) -> None:
    with pytest.raises(QuantriftError, match="wrong layout"):
        channels_last(np.zeros((2, *shape)), image, "data.npz", "net")


def tell(
    values: np.ndarray,
    network: Remembers,
    labels: np.ndarray | None = TRUTH,
    form: InputForm = FROM_FILES,
    own: tuple[float, float] | None = None,
    **others: tuple[float, float],
) -> Said:
    """``own`` and ``others`` are the ranges of 8-bit inputs."""
    expected = _of("original", own) if own else Expected("original")
    of_compressed = [_of(*one) for one in others.items()]
    return scaled(values, Known(network, expected, of_compressed, CLASSES, Path("data.npz"), labels, form))


def _of(name: str, ends: tuple[float, float]) -> Expected:
    return Expected(name, ends, (ends[1] - ends[0]) / 255)


def find(
    values: np.ndarray, network: Remembers, labels: np.ndarray | None = TRUTH, **others: tuple[float, float]
) -> tuple[Inputs, str]:
    said = tell(values, network, labels, FROM_FILES, None, **others)
    return said.inputs, said.assumed[0]


@pytest.mark.parametrize(("black", "white"), [(0, 1), (0, 255), (-1, 1)])
def test_bytes_get_the_scale_on_which_alone_the_original_is_right(black: float, white: float) -> None:
    wanted = BYTES / np.float32(255) * np.float32(white - black) + np.float32(black)
    inputs, said = find(BYTES, Remembers(wanted))
    assert isinstance(inputs, ImageStack)
    assert inputs.data_range == (black, white)
    assert np.allclose(inputs.take(inputs.test), wanted)
    assert f"black taken as {black} and white as {white}" in said


def test_bytes_of_a_network_for_standardised_inputs_are_standardised_as_labels_suggest() -> None:
    mean, deviation = np.array([0.485, 0.456, 0.406], np.float32), np.array([0.229, 0.224, 0.225], np.float32)
    wanted = (BYTES / np.float32(255) - mean) / deviation
    inputs, said = find(BYTES, Remembers(wanted))
    np.testing.assert_allclose(inputs.take(inputs.test), wanted, atol=1e-5)
    assert isinstance(inputs, ImageStack)
    assert np.array_equal(inputs.images, BYTES)
    assert "standardised by ImageNet's mean and deviation, as labels suggest: the original is right on 100.0 %" in said
    assert said.endswith("say --range, or --mean and --std, if that is wrong")


def test_the_range_of_a_compressed_input_is_a_scale_that_labels_may_suggest() -> None:
    wanted = BYTES / np.float32(255) * np.float32(7) - np.float32(3)
    inputs, said = find(BYTES, Remembers(wanted), TRUTH, int8=(-3.0, 4.0))
    assert inputs.data_range == (-3, 4)
    assert "as the 8-bit input of int8 stands for -3 to 4, as labels suggest: the original is right on 100.0 %" in said
    with pytest.raises(QuantriftError, match="neither the networks' files nor labels tell"):
        find(BYTES, Remembers(wanted), None, int8=(-3.0, 4.0))


def test_without_labels_a_compressed_input_that_stands_for_standardised_values_suggests_these() -> None:
    inputs, said = find(BYTES, Remembers(BYTES / np.float32(255)), None, int8=(-2.15, 2.62))
    low, high = inputs.data_range
    assert (low, high) == pytest.approx((-0.485 / 0.229, (1 - 0.406) / 0.225))
    assert "standardised by ImageNet's mean and deviation, as the 8-bit input of int8 stands for -2.15 to 2.62" in said
    assert said.endswith("say --range, or --mean and --std, if that is wrong")


def test_where_a_plain_scale_does_as_well_nothing_is_standardised() -> None:
    class Both(Remembers):
        """Right on inputs from 0 to 1, and on standardised ones."""

        def __call__(self, x: np.ndarray) -> np.ndarray:
            mean, deviation = np.array([0.485, 0.456, 0.406], np.float32), np.array([0.229, 0.224, 0.225], np.float32)
            return super().__call__(x if x.min() >= 0 else x * deviation + mean)

    assert find(BYTES, Both(BYTES / np.float32(255)))[0].data_range == (0, 1)


class Indifferent(Remembers):
    """Says the same of inputs on any scale from 0, as a network of ReLU without biases does."""

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return super().__call__(x / x.max())


@pytest.mark.parametrize(
    ("network", "labels"),
    [
        (Remembers(BYTES / np.float32(255)), None),
        (Indifferent(BYTES / np.float32(255)), TRUTH),
        (Remembers(BYTES / np.float32(255)), TRUTH[:8]),
        (Remembers(BYTES / np.float32(7)), TRUTH),
    ],
    ids=["no labels", "right on two scales", "too few labels", "right on none"],
)
def test_bytes_whose_scale_nothing_tells_are_refused_with_the_options_that_decide(
    network: Remembers, labels: np.ndarray | None
) -> None:
    given = BYTES if labels is None else BYTES[: len(labels)]
    with pytest.raises(
        QuantriftError, match=r"inputs are bytes, .* give --range 0 1, .* or --mean and --std"
    ) as caught:
        tell(given, network, labels)
    assert "\n" not in str(caught.value)
    assert tell(given, network, labels, InputForm(range=(0, 1))).inputs.data_range == (0, 1)


def test_a_quantized_input_tells_the_scale_of_bytes_if_it_fits_one() -> None:
    network = Remembers(BYTES / np.float32(255))
    assert find(BYTES, network, None, int8=(-0.99, 1.0))[0].data_range == (-1, 1)
    assert tell(BYTES, network, None, own=(0, 1)).inputs.data_range == (0, 1)
    with pytest.raises(QuantriftError, match="inputs are bytes"):
        find(BYTES, network, None, int8=(-1.7, 2.0))
    with pytest.raises(QuantriftError, match="inputs are bytes"):
        find(BYTES, network, None, int8=(0, 1), dynamic=(0, 255))


def test_the_file_of_the_original_and_labels_count_more_than_compressed_networks() -> None:
    network = Remembers(BYTES / np.float32(255))
    assert find(BYTES, network, int8=(0, 255))[0].data_range == (0, 1)
    assert tell(BYTES, network, None, own=(0, 1), int8=(0, 255)).inputs.data_range == (0, 1)


@pytest.mark.parametrize(
    ("slope", "offset", "scale"),
    [
        (1 / 255, 0, (0, 255)),
        (1 / 127.5, -1, (0, 255)),
        ([0.0171, 0.0175, 0.0174], [-2.12, -2.04, -1.80], (0, 255)),
        ([4.367, 4.464, 4.444], [-2.118, -2.036, -1.804], (0, 1)),
        (2, -1, (0, 1)),
        (1, [-103.9, -116.8, -123.7], (0, 255)),
        (1, -0.5, (0, 1)),
        (0.1, 0, None),
        (0.9995, 0, None),
        (1 / 0.55, 0.09, None),
        ([4.4, 0.0171], [-2.1, -2.1], None),
    ],
)
def test_what_a_network_does_to_its_inputs_first_tells_their_scale(
    slope: float | list[float], offset: float | list[float], scale: tuple[float, float] | None
) -> None:
    start = Start(slope=np.atleast_1d(slope).astype(float), offset=np.atleast_1d(offset).astype(float))
    found = Expected("net", start=start).scale
    assert (found and found[0]) == scale


def test_mean_and_deviation_are_those_of_channels_between_0_and_1_or_on_the_range() -> None:
    mean, std = (0.4, 0.5, 0.6), (0.2, 0.25, 0.3)
    wanted = (BYTES / 255 - np.array(mean)) / np.array(std)
    network = Remembers(wanted)
    inputs = tell(BYTES, network, None, InputForm(mean=mean, std=std)).inputs
    np.testing.assert_allclose(inputs.take(inputs.test), wanted, atol=1e-6)
    # They stay images of 8 bits, which all tools search.
    assert isinstance(inputs, ImageStack)
    assert np.array_equal(inputs.images, BYTES)
    of_bytes = InputForm(range=(0, 255), mean=tuple(255 * one for one in mean), std=tuple(255 * one for one in std))
    as_numbers = tell(BYTES.astype(np.float32), network, None, of_bytes).inputs
    np.testing.assert_allclose(as_numbers.take(as_numbers.test), wanted, atol=1e-5)
    same = tell(BYTES, network, None, InputForm(mean=(0.5,), std=(0.5,))).inputs
    assert isinstance(same, ImageStack)
    assert same.data_range == (-1, 1)


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"range": (1, 0)}, "--range is 1 to 0"),
        ({"mean": (0.5,)}, "--mean and --std belong together"),
        ({"mean": (0.5, 0.5, 0.5), "std": (0.5,)}, "--mean has 3 values, --std 1"),
        ({"mean": (0.5,), "std": (0,)}, "--std holds 0"),
        ({"mean": (103.9,), "std": (1,)}, r"--mean holds 103.9, .* like --range 0 255"),
    ],
)
def test_options_that_fit_no_inputs_are_refused(form: dict[str, tuple[float, ...]], said: str) -> None:
    with pytest.raises(QuantriftError, match=said):
        InputForm(**form)  # type: ignore[arg-type]


def test_options_that_do_not_fit_these_inputs_are_refused() -> None:
    given = BYTES / np.float32(255)
    with pytest.raises(QuantriftError, match="reach from 0 to 1, but --range says 0 to 0.5"):
        tell(given, Remembers(given), TRUTH, InputForm(range=(0, 0.5)))
    with pytest.raises(QuantriftError, match="--mean and --std are for bytes"):
        tell(given, Remembers(given), TRUTH, InputForm(mean=(0.5,), std=(0.5,)))
    with pytest.raises(QuantriftError, match="have 2 values, the inputs 3 channels"):
        tell(BYTES, Remembers(given), TRUTH, InputForm(mean=(0.5, 0.5), std=(0.5, 0.5)))


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
    with pytest.raises(QuantriftError, match=r"out of range: the original is right on .* 100.0 % divided by 255"):
        find(BYTES.astype(np.float64), network)
    with pytest.raises(QuantriftError, match="the 8-bit input of int8 stands for 0 to 1; .* say --range 0 255"):
        find(BYTES.astype(np.float32), network, None, int8=(0.0, 1.0))
    with pytest.raises(QuantriftError, match="stands for 0 to 255"):
        find(BYTES / np.float32(255), network, None, int8=(0.0, 255.0))
    with pytest.raises(QuantriftError, match="the 8-bit input of original stands for 0 to 1; scale them"):
        tell(BYTES.astype(np.float32), network, None, own=(0.0, 1.0), int8=(0.0, 1.0))


@pytest.mark.parametrize(
    ("labels", "form", "own"),
    [(TRUTH, FROM_FILES, None), (None, InputForm(range=(0, 255)), None), (None, FROM_FILES, (0.0, 255.0))],
    ids=["labels", "--range", "the original's file"],
)
def test_an_input_that_cannot_hold_what_the_original_takes_is_a_finding(
    labels: np.ndarray | None, form: InputForm, own: tuple[float, float] | None
) -> None:
    given = BYTES.astype(np.float32)
    said = tell(given, Remembers(given), labels, form, own, int8=(0.0, 100.0), sound=(0.0, 255.0))
    [found] = said.findings
    share = float((given > 100 * (1 + 0.5 / 255)).mean())
    assert (found.expected.title, found.range) == ("the 8-bit input of int8", (0.0, 100.0))
    assert (found.share, found.inputs) == (share, (0.0, 255.0))
    assert f"{100 * share:.1f} % of the values are cut off" in found.text


def test_an_original_that_is_right_on_both_scales_does_not_tell_whether_its_inputs_are_wrong() -> None:
    given = BYTES.astype(np.float32)
    with pytest.raises(QuantriftError, match="the 8-bit input of int8 stands for 0 to 1; .* say --range 0 255"):
        tell(given, Indifferent(given / np.float32(255)), TRUTH, int8=(0.0, 1.0))


def test_a_finding_is_no_few_values_and_nothing_that_the_original_loses_too() -> None:
    given = BYTES.astype(np.float32)
    assert tell(given, Remembers(given), int8=(0.0, 253.0)).findings == []
    assert tell(given, Remembers(given), own=(0.0, 240.0), int8=(0.0, 240.0)).findings == []
    assert len(tell(given, Remembers(given), int8=(0.0, 240.0)).findings) == 1


def finding(values: np.ndarray, low: float = 0.0, high: float = 100.0, right: bool = True) -> list[Finding]:
    """Findings on a compressed network whose 8-bit input stands for values from low to high."""
    return saturated(values, Expected("original"), [_of("int8", (low, high))], right, Path("data.npz"))


@pytest.mark.parametrize(
    ("cut", "wrong"),
    [(0.0, False), (0.009, False), (0.0101, True), (0.3, True)],
)
def test_values_that_are_cut_off_are_a_finding_from_more_than_one_in_a_hundred(cut: float, wrong: bool) -> None:
    values = np.linspace(0, 100, 10_000)
    values[: round(cut * 10_000)] = 105
    assert [one.share for one in finding(values)] == ([pytest.approx(cut)] if wrong else [])


@pytest.mark.parametrize(
    ("values", "for_others"),
    [
        (np.r_[np.full(74, 50.0), np.full(26, 111.0)], True),
        (np.r_[np.full(75, 50.0), np.full(25, 111.0)], False),
        (np.r_[np.full(74, 50.0), np.full(26, -11.0)], True),
        # Beyond the range, but not by a tenth of it.
        (np.r_[np.full(50, 50.0), np.full(50, 109.0)], False),
        # The range of values against that of the integers: four times as wide, and a sixteenth.
        (np.r_[np.full(99, 50.0), -150.0, 260.0], True),
        (np.r_[np.full(99, 50.0), -150.0, 240.0], False),
        (np.r_[40.0, 46.0], True),
        (np.r_[40.0, 46.5], False),
    ],
)
def test_values_for_another_scale_are_refused_unless_the_original_is_known_to_be_right(
    values: np.ndarray, for_others: bool
) -> None:
    if not for_others:
        finding(values, right=False)
        return
    with pytest.raises(QuantriftError, match="inputs out of range: .* the 8-bit input of int8 stands for 0 to 100"):
        finding(values, right=False)
    assert len(finding(values, right=True)) == 1
    with pytest.raises(QuantriftError, match="the 8-bit input of original stands for 0 to 100; scale them"):
        saturated(values, _of("original", (0.0, 100.0)), [], True, Path("data.npz"))


def test_labels_beyond_the_classes_are_refused() -> None:
    with pytest.raises(QuantriftError, match="labels reach 4, but the original tells 4 classes"):
        find(BYTES, Remembers(BYTES), TRUTH + 1)
