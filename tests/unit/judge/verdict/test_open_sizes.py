"""Height, width and steps that a network leaves open come from the inputs, as if it had been exported for them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st
from keras import layers
from tests.factories.installed import needs

from quantrift import api
from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.graphs.open_sides import fill
from quantrift.core.networks.runtimes import onnxruntime
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.core.pairs.task import task_of
from quantrift.judge.python.pairs import Pair
from quantrift.judge.verdict.comparison import Compared, Comparisons, compare
from quantrift.judge.verdict.profiles import Settings

RNG = np.random.default_rng(0)
SIZE = (8, 10, 3)
IMAGES = RNG.random((40, *SIZE)).astype(np.float32)
OPEN, FIXED = (None, None, 3), SIZE
WAYS = ["o.keras", "o.h5", "o", "o.tflite", "o.tflite@reference", "o.onnx", "o.onnx@unoptimized"]
BY_OPENVINO = ["o.xml", "o.tflite@openvino", "o.onnx@openvino"]


def network(sides: Sequence[int | None], masks: bool = False) -> keras.Model:
    """A small network with the same weights whatever the sides: classes, or a mask of half as many rows and columns."""
    keras.utils.set_random_seed(0)
    x = image = keras.Input(tuple(sides), name="image")
    x = layers.BatchNormalization()(layers.Conv2D(4, 3, padding="same", activation="relu")(x))
    if masks:
        return keras.Model(image, layers.Conv2D(2, 1, strides=2)(x))
    return keras.Model(image, layers.Dense(3, kernel_initializer="random_normal")(layers.GlobalAveragePooling2D()(x)))


def in_8_bits(converter: tf.lite.TFLiteConverter) -> None:
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: ([image[None]] for image in IMAGES)
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]


def write(folder: Path, sides: Sequence[int | None], masks: bool = False) -> Path:
    """One network in all formats, and in 8 bits as ``int8.tflite``."""
    folder.mkdir()
    model = network(sides, masks)
    for name in ("o.keras", "o.h5"):
        model.save(folder / name)
    model.export(folder / "o", verbose=False)
    (folder / "o.tflite").write_bytes(to_tflite(model))
    (folder / "int8.tflite").write_bytes(to_tflite(model, in_8_bits))
    (folder / "o.onnx").write_bytes(onnxruntime.export(model))
    return folder


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Folders of a classifier with open height and width, and of the same for inputs of one size."""
    root = tmp_path_factory.mktemp("sizes")
    return write(root / "open", OPEN), write(root / "fixed", FIXED)


def compared(
    original: Path, compressed: Path, values: np.ndarray, tolerance: float | None = None, space: str | None = None
) -> Comparisons:
    """A comparison on inputs; of labels, or of all values by a tolerance."""
    inputs = original.parent / "x.npz"
    np.savez(inputs, inputs=values)
    task = None if tolerance is None else task_of("regress", {"tolerance": (tolerance,)})
    return compare(original, [compressed], inputs, Settings(task=task, space=space))


def results(found: Comparisons) -> list[Compared]:
    """Results of the compressed networks without their files and names.

    Layers have the numbers of the session in their names.
    """
    return [replace(one, name="", model=None, layers=[]) for one in found.networks]  # type: ignore[arg-type]


def pair(folder: Path, name: str, compressed: str = "int8.tflite", **more: Any) -> Pair:
    return api.load_pair(folder / name, folder / compressed, **more)


@pytest.mark.parametrize("name", [*WAYS, *(pytest.param(one, marks=needs("openvino")) for one in BY_OPENVINO)])
def test_results_are_those_of_the_network_exported_for_inputs_of_that_size(both: tuple[Path, Path], name: str) -> None:
    if name == "o.xml" and not (both[0] / name).is_file():
        import openvino

        for folder in both:
            openvino.save_model(openvino.convert_model(folder / "o.onnx"), folder / name, compress_to_fp16=False)
    own, other = pair(both[0], name, input_shape=SIZE), pair(both[1], name)
    line = "height and width are open: taken from the inputs, 8 x 10"
    assert [f"{Path(name).name}: {line}", f"int8.tflite: {line}"] == [one for one in own.assumed if "open:" in one]
    assert own(IMAGES).original.tobytes() == other(IMAGES).original.tobytes()
    assert own(IMAGES).compressed.tobytes() == other(IMAGES).compressed.tobytes()


@pytest.mark.parametrize("compressed", ["int8.tflite", "o.onnx"])
def test_a_comparison_takes_sizes_from_its_inputs(both: tuple[Path, Path], compressed: str) -> None:
    found = [compared(folder / "o.keras", folder / compressed, IMAGES) for folder in both]
    assert results(found[0]) == results(found[1])


@pytest.mark.parametrize("name", ["o.keras", "o", "o.tflite", "o.onnx"])
def test_outputs_of_open_size_are_learnt_by_a_run(tmp_path: Path, name: str) -> None:
    for kind, sides in (("open", OPEN), ("fixed", FIXED)):
        write(tmp_path / kind, sides, masks=True)
    found = [
        compared(tmp_path / kind / name, tmp_path / kind / "int8.tflite", IMAGES, 0.02) for kind in ("open", "fixed")
    ]
    assert any("4 x 5 x 2" in line for line in found[0].assumed)
    assert results(found[0]) == results(found[1])


def test_what_tensorflow_lite_has_for_one_size_alone_is_converted_for_that(tmp_path: Path) -> None:
    for name, sides in (("open", OPEN), ("fixed", FIXED)):
        keras.utils.set_random_seed(0)
        image = keras.Input(sides)
        mask = layers.Conv2D(2, 1)(layers.UpSampling2D()(layers.Conv2D(4, 3)(image)))
        keras.Model(image, mask).save(tmp_path / f"{name}.keras")
        if name == "fixed":
            (tmp_path / "fixed.tflite").write_bytes(to_tflite(keras.Model(image, mask)))
    found = compared(tmp_path / "open.keras", tmp_path / "fixed.tflite", IMAGES, 0.02)
    assert found.networks[0].clean.disagreeing == 0


def test_signals_fill_the_steps(tmp_path: Path) -> None:
    signals = RNG.random((20, 32, 2)).astype(np.float32)
    found = []
    for steps in (None, 32):
        keras.utils.set_random_seed(0)
        x = given = keras.Input((steps, 2))
        x = layers.GlobalAveragePooling1D()(layers.Conv1D(4, 3, activation="relu")(x))
        path = tmp_path / f"{steps}.tflite"
        path.write_bytes(to_tflite(keras.Model(given, layers.Dense(3, kernel_initializer="random_normal")(x))))
        found.append(compared(path, path, signals, space="signal_distortions"))
    assert "None.tflite: steps are open: taken from the inputs, 32" in found[0].assumed
    assert results(found[0])[0].clean == results(found[1])[0].clean


def test_without_inputs_the_error_says_what_tells_the_size(both: tuple[Path, Path]) -> None:
    for name in WAYS:
        with pytest.raises(QuantriftError, match=r"inputs of one size|of one size, .* input_shape"):
            pair(both[0], name)


def test_inputs_of_another_number_of_channels_tell_nothing(both: tuple[Path, Path]) -> None:
    with pytest.raises(QuantriftError, match=r"o\.tflite: .* \(\?, \?, 3\), whose open sides no inputs"):
        pair(both[0], "o.tflite", input_shape=(8, 10, 4))


@given(st.lists(st.integers(1, 9), min_size=1, max_size=3), st.data())
def test_filled_sides_are_those_of_the_input(shape: list[int], data: st.DataObject) -> None:
    """In the order of the file, or with its channels moved; sides that the file fixes stay."""
    first = data.draw(st.booleans())
    whole = [shape[-1], *shape[:-1]] if first else shape
    opened = [data.draw(st.booleans()) for _ in whole]
    sides = [-1 if one else side for one, side in zip(opened, whole, strict=True)]
    found = fill(sides, shape)
    if len(sides) > 2 and all(opened):
        assert found is None
        return
    assert found is not None
    assert [size > 0 for size in found] == opened
    filled = [size or side for size, side in zip(found, sides, strict=True)]
    assert sorted(filled) == sorted(whole)


@pytest.mark.parametrize(
    ("sides", "shape", "found"),
    [
        ((-1, -1, 3), (64, 48, 3), (64, 48, 0)),
        ((3, -1, -1), (64, 48, 3), (0, 64, 48)),
        ((-1, -1, 3), (3, 64, 48), (64, 48, 0)),
        ((-1, -1, 1), (28, 28), (28, 28, 0)),
        ((1, -1, -1), (28, 28), (0, 28, 28)),
        ((-1, 2), (1, 32, 2), (32, 0)),
        ((-1,), (1, 1, 7), (7,)),
        ((-1, -1, 3), (64, 48, 4), None),
        ((-1, -1, -1), (64, 48, 3), None),
        ((-1, -1, 3), None, None),
    ],
)
def test_the_shape_of_an_input_fills_open_sides(
    sides: tuple[int, ...], shape: tuple[int, ...] | None, found: tuple[int, ...] | None
) -> None:
    assert fill(sides, shape) == found


@needs("torch")
@pytest.mark.parametrize("masks", [False, True])
def test_files_of_pytorch_too(tmp_path: Path, masks: bool) -> None:
    import torch
    from torch import nn

    torch.manual_seed(0)
    ending = [nn.Upsample(scale_factor=2.0)] if masks else [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 3)]
    network = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), *ending).eval()
    several = {0: torch.export.Dim("batch", min=1, max=256)}
    sides = {2: torch.export.Dim("height", min=4, max=256), 3: torch.export.Dim("width", min=4, max=256)}
    for name, dimensions in (("open", several | sides), ("fixed", several)):
        program = torch.export.export(network, (torch.zeros(2, 3, *SIZE[:2]),), dynamic_shapes=(dimensions,))
        torch.export.save(program, tmp_path / f"{name}.pt2")
    found = compared(tmp_path / "open.pt2", tmp_path / "fixed.pt2", IMAGES, 0.02 if masks else None)
    assert found.networks[0].clean.disagreeing == 0
