"""Checkers find a broken file more suspicious than a good one, and name the layer with the fault."""

from collections.abc import Callable
from pathlib import Path

import keras
import numpy as np
import pytest
from keras import layers
from tests.factories.networks import chain

from quantrift.checks import checker, outputs
from quantrift.cli.benchmarks.planted.conversion import int8
from quantrift.cli.benchmarks.planted.onnx_conversion import onnx_int8
from quantrift.cli.benchmarks.planted.stored_weights import Edited, EditedTFLite
from quantrift.cli.benchmarks.planted.stored_weights_onnx import EditedONNX
from quantrift.models.runtimes.onnxruntime import export
from quantrift.models.tflite_files import to_tflite

Files = tuple[Path, Path, Path]
"""Original, good and broken file."""
SEARCHES = {"quantrift_random", "quantrift_pso", "quantrift_noise"}
"""They need more inputs, and are tried on the pair of the package."""
QUICK = [name for name in checker.names() if name not in SEARCHES]
FAULTY = 1
"""Layer with the fault."""


@pytest.fixture(scope="module")
def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    coarse = rng.integers(0, 256, (80, 3, 3, 1)).repeat(4, axis=1).repeat(4, axis=2)
    return (coarse / 255).astype(np.float32), np.arange(80) % 4


@pytest.fixture(scope="module")
def network(data: tuple[np.ndarray, np.ndarray]) -> keras.Model:
    model = chain(
        (12, 12, 1),
        layers.Conv2D(6, 3, 2, activation="relu", name="first"),
        layers.Conv2D(8, 3, 1, activation="relu", name="second"),
        layers.GlobalAveragePooling2D(name="pool"),
        layers.Dense(4, name="logits"),
    )
    rng = np.random.default_rng(1)
    # The converter leaves out a bias of 0.
    model.set_weights([one + rng.normal(0, 0.1, one.shape) if one.ndim == 1 else one for one in model.get_weights()])
    return model


@pytest.fixture(scope="module")
def files(
    network: keras.Model, data: tuple[np.ndarray, np.ndarray], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Files]:
    """By ending: a file in 8 bits, and the same with weights of the second layer that stand for twice as much, which
    hardly ever says the class that the original says most.
    """
    folder = tmp_path_factory.mktemp("pairs")
    x, _ = data
    logits = network.predict_on_batch(x)
    original = export(network)
    made: dict[str, tuple[bytes, bytes, Callable[[bytes], Edited]]] = {
        ".tflite": (to_tflite(network), int8(network, x), EditedTFLite),
        ".onnx": (original, onnx_int8(original, x), EditedONNX),
    }
    found: dict[str, Files] = {}
    for suffix, (first, good, edited) in made.items():
        file = edited(good)
        file.scale(FAULTY, 2.0)
        file.lower(int(np.bincount(logits.argmax(axis=1)).argmax()), float(5 * np.ptp(logits)))
        one, two, three = (folder / f"{name}{suffix}" for name in ("original", "good", "broken"))
        found[suffix] = one, two, three
        for path, content in zip(found[suffix], (first, good, file.content()), strict=True):
            path.write_bytes(content)
    return found


@pytest.mark.parametrize("suffix", checker.BOTH)
@pytest.mark.parametrize("name", QUICK)
def test_a_broken_file_is_more_suspicious_than_a_good_one(
    name: str, suffix: str, files: dict[str, Files], data: tuple[np.ndarray, np.ndarray]
) -> None:
    found = checker.load(name)
    if suffix not in found.SUFFIXES or not checker.runs_here(found):
        pytest.skip(f"{name} does not read {suffix} files here")
    original, good, broken = files[suffix]
    x, _ = data
    # By the labels of the original, accuracy is agreement.
    labels = outputs.logits(original, x).argmax(axis=1)
    assert found.score(original, good, x, labels) < found.score(original, broken, x, labels)
    naming = checker.naming(found)
    if naming is not None:
        named = naming(original, broken, x, labels)
        # All others name the layer with the largest error, which may lie behind the fault.
        assert "second" in str(named) if name == "quantrift_layers" else named
