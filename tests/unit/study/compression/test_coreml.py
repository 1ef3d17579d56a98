"""A Core ML package holds the network, and the form that runs here has the package's weights."""

import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import read_json
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks import architecture
from quantrift.core.networks.keras_files import load
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.networks.training.original import Original
from quantrift.core.settings.networks import Networks
from quantrift.study.compression.build import build
from quantrift.study.compression.coreml_package import PACKAGE, packed, weights
from quantrift.study.compression.coreml_program import program, with_weights
from quantrift.study.compression.methods.coreml import Settings as CoreML
from quantrift.study.compression.methods.coreml import compress, converted

NETWORKS = [
    ("lenet5", (28, 28, 1)),
    ("resnet20", (32, 32, 3)),
    ("vgg16", (32, 32, 3)),
    ("ssrn", (7, 7, 20)),
]


@pytest.fixture(scope="module")
def coremltools() -> Any:
    """The library, which only this method needs."""
    return pytest.importorskip("coremltools", reason="needs the extra 'coreml'")


def twin_of(name: str, shape: tuple[int, int, int]) -> keras.Model:
    """A network with random weights, biases too."""
    keras.utils.set_random_seed(1)
    model = architecture.load(name).build(getattr(Networks(), name).model_copy(update={"width": 0.25}), shape, 4)
    twin = architecture.twin(name, model)
    rng = np.random.default_rng(1)
    for layer in twin.layers:
        if layer.weights:
            kernel, bias = layer.get_weights()
            layer.set_weights([kernel, rng.normal(scale=0.2, size=bias.shape)])
    return twin


def saved(model: keras.Model, stored_as: str, folder: Path, coremltools: Any) -> Path:
    packed(converted(model, stored_as, coremltools), folder, coremltools)
    return folder / PACKAGE


def executed(package: Path, image: np.ndarray, coremltools: Any) -> np.ndarray:
    """What the program in a package computes, operation by operation as Core ML's documentation says, in TensorFlow."""
    from coremltools.converters.mil.frontend.milproto.load import load as program_of

    model = coremltools.models.MLModel(str(package), skip_model_load=True)
    main = program_of(model.get_spec(), model.get_spec().specificationVersion, model.weights_dir).functions["main"]
    [name] = main.inputs
    values: dict[str, Any] = {name: tf.constant(image)}

    def given(variable: Any) -> Any:
        return variable.val if variable.val is not None else values[variable.name]

    def windowed(has: dict[str, Any], operation: Callable[..., Any], window: np.ndarray) -> Any:
        last = tf.transpose(has["x"], (0, 2, 3, 1))
        made = operation(last, window, strides=has["strides"], padding=has["pad_type"].upper())
        return tf.transpose(made, (0, 3, 1, 2))

    for one in main.operations:
        has = {key: given(read) for key, read in one.inputs.items() if not isinstance(read, tuple)}
        x = has.get("x")
        match one.op_type:
            case "const":
                continue
            case "conv":
                found = windowed(has, tf.nn.conv2d, has["weight"].transpose(2, 3, 1, 0))
                found += has["bias"][:, None, None]
            case "linear":
                found = x @ has["weight"].T + has["bias"]
            case "relu":
                found = tf.nn.relu(x)
            case "add":
                found = x + has["y"]
            case "transpose":
                found = tf.transpose(x, has["perm"])
            case "reshape":
                found = tf.reshape(x, has["shape"])
            case "max_pool":
                found = windowed(has, tf.nn.max_pool2d, has["kernel_sizes"])
            case "reduce_mean":
                found = tf.reduce_mean(x, has["axes"].tolist(), keepdims=bool(has["keep_dims"]))
            case other:
                raise AssertionError(other)
        values[one.outputs[0].name] = found
    logits: np.ndarray = values[main.outputs[0].name].numpy()
    return logits


@pytest.mark.parametrize(("name", "shape"), NETWORKS)
def test_the_program_in_the_package_is_the_network(
    name: str, shape: tuple[int, int, int], tmp_path: Path, coremltools: Any
) -> None:
    twin = twin_of(name, shape)
    package = saved(twin, "float32", tmp_path, coremltools)
    image = np.random.default_rng(2).random((1, *shape), np.float32)
    expected = twin.predict_on_batch(image)
    np.testing.assert_allclose(executed(package, image, coremltools), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("stored_as", ["float32", "float16", "int8"])
@pytest.mark.parametrize(("name", "shape"), NETWORKS[:2])
@pytest.mark.slow
def test_weights_come_back_as_the_package_stores_them(
    name: str, shape: tuple[int, int, int], stored_as: str, tmp_path: Path, coremltools: Any
) -> None:
    twin = twin_of(name, shape)
    back = with_weights(twin, weights(saved(twin, stored_as, tmp_path, coremltools), coremltools))
    for before, after in zip(twin.layers, back.layers, strict=True):
        for old, new in zip(before.get_weights(), after.get_weights(), strict=True):
            if stored_as == "float16":
                np.testing.assert_array_equal(new, old.astype(np.float16).astype(np.float32))
            elif stored_as == "int8" and old.ndim > 1:
                axes = tuple(range(old.ndim - 1))
                step = (np.maximum(old.max(axis=axes), 0) - np.minimum(old.min(axis=axes), 0)) / 255
                assert (np.abs(new - old) <= step * 0.5001).all()
                assert np.abs(new - old).max() > 0
                assert (new[old == 0] == 0).all()
            else:
                np.testing.assert_array_equal(new, old)


@pytest.mark.slow
def test_a_compression_says_what_runs_and_keeps_the_package(
    trained: Path, scene_path: Path, tmp_path: Path, coremltools: Any
) -> None:
    for again in ("one", "other"):
        build("coreml_8", CoreML(weights="int8"), trained, scene_path, tmp_path / again)
    one, other = tmp_path / "one", tmp_path / "other"
    names = {"model.tflite", "audit.json", "compression.json", "margins.npz", "model.mlpackage.zip"}
    assert {path.name for path in one.iterdir()} == names
    assert all((one / name).read_bytes() == (other / name).read_bytes() for name in names)
    facts = read_json(one / "compression.json")
    assert facts["runs"] == "converted weights in float"
    assert facts["int8_mac_share"] == 0
    assert facts["package_bytes"] == (one / "model.mlpackage.zip").stat().st_size < facts["size_bytes"]
    with zipfile.ZipFile(one / "model.mlpackage.zip") as archive:
        archive.extractall(tmp_path)
    stored = weights(tmp_path / PACKAGE, coremltools)
    x = Inputs.load(scene_path).take(range(50))
    expected = with_weights(load(trained / "twin.keras"), stored).predict_on_batch(x)
    np.testing.assert_allclose(LiteRT(one / "model.tflite")(x), expected, atol=1e-4)
    kernels, biases = (sum(values[kind].size for values in stored.values()) for kind in ("weight", "bias"))
    assert facts["weight_bits"] == 8 * kernels + 32 * biases


def test_a_layer_that_is_not_built_for_core_ml_is_named(coremltools: Any) -> None:
    image = keras.Input((8, 8, 2))
    gelu = keras.layers.Conv2D(3, 3, activation="gelu", name="first")(image)
    depthwise = keras.layers.DepthwiseConv2D(3, name="second")(image)
    for output, message in ((gelu, r"'first' \(Conv2D with activation gelu\)"), (depthwise, r"'second' \(Depthwise")):
        with pytest.raises(QuantriftError, match=message):
            program(keras.Model(image, output), coremltools)


def test_without_the_library_one_line_says_how_to_get_it(
    trained: Path, scene_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "coremltools", None)
    with pytest.raises(QuantriftError, match=r"pip install quantrift\[coreml\]"):
        compress(Original(trained), Inputs.load(scene_path), CoreML(weights="int8"))
