"""One of several outputs of a .tflite file, and its several inputs, run by LiteRT and by OpenVINO alike."""

from collections.abc import Sequence
from pathlib import Path

import keras
import numpy as np
import pytest
from keras import layers
from tests.factories.installed import needs

from quantrift.core.base.carried_rows import joined
from quantrift.core.networks.graphs.choices import INPUTS, OUTPUTS, with_note
from quantrift.core.networks.runtime import ends, load_runtime, load_values
from quantrift.core.networks.tflite_files import to_tflite

RNG = np.random.default_rng(0)
IMAGES, GAINS = RNG.random((9, 6, 5, 2)).astype(np.float32), RNG.random((9, 1)).astype(np.float32)
ROWS = joined(IMAGES, [GAINS])
NAMES = ("image", "gain")
RUNTIMES = ("litert", pytest.param("openvino", marks=needs("openvino")))


@pytest.fixture(scope="module")
def network() -> keras.Model:
    """From an image and a number to ``shares``, behind a softmax, and ``logits``, of one size."""
    keras.utils.set_random_seed(0)
    image, gain = keras.Input((6, 5, 2), name="image"), keras.Input((1,), name="gain")
    seen = layers.Flatten()(layers.Conv2D(4, 3, activation="relu")(image))
    both = layers.Concatenate()([seen, gain])
    heads = {"shares": layers.Dense(3, activation="softmax")(both), "logits": layers.Dense(3)(both)}
    return keras.Model({"image": image, "gain": gain}, heads)


@pytest.fixture(scope="module")
def content(network: keras.Model) -> bytes:
    return to_tflite(network)


def noted(content: bytes, outputs: Sequence[str], path: Path) -> Path:
    path.write_bytes(with_note(with_note(content, ".tflite", INPUTS, NAMES), ".tflite", OUTPUTS, outputs))
    return path


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("output", ["shares", "logits"])
def test_the_chosen_output_gives_the_logits(
    output: str, runtime: str, network: keras.Model, content: bytes, tmp_path: Path
) -> None:
    path = noted(content, [output], tmp_path / "net.tflite")
    loaded = load_runtime(runtime, path)
    expected = network({"image": IMAGES, "gain": GAINS})[output].numpy()
    # Of probabilities, logits are logarithms up to a constant of each row.
    expected = np.log(expected / expected.max(axis=1, keepdims=True)) if output == "shares" else expected
    np.testing.assert_allclose(loaded(ROWS), expected, atol=1e-4)


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_values_are_those_of_the_chosen_outputs_in_their_order(
    runtime: str, network: keras.Model, content: bytes, tmp_path: Path
) -> None:
    path = noted(content, ["logits", "shares"], tmp_path / "net.tflite")
    assert sorted(ends(path).outputs) == ["logits", "shares"]
    loaded, said = load_values(runtime, path), network({"image": IMAGES, "gain": GAINS})
    assert loaded.signature.values is not None
    assert loaded.signature.values.names == ("logits", "shares")
    expected = np.concatenate([said["logits"].numpy(), said["shares"].numpy()], axis=1)
    np.testing.assert_allclose(loaded(ROWS), expected, atol=1e-4)
