"""Checkers share one interface, know equal networks from broken ones, and name the layer with the fault."""

import math
from pathlib import Path

import keras
import numpy as np
import pytest
from keras import layers
from onnxruntime.quantization import qdq_loss_debug
from tests.factories.networks import chain

from quantrift.assess.example import paths
from quantrift.assess.given_inputs import read
from quantrift.base.errors import QuantriftError
from quantrift.checks import checker, figures, outputs
from quantrift.cli.benchmarks.planted.conversion import int8
from quantrift.cli.benchmarks.planted.onnx_conversion import onnx_int8
from quantrift.cli.benchmarks.planted.stored_weights import EditedTFLite
from quantrift.cli.benchmarks.planted.stored_weights_onnx import EditedONNX
from quantrift.models.runtimes.onnxruntime import export
from quantrift.models.tflite_files import to_tflite

Files = tuple[Path, Path, Path]
"""Original, good and broken file."""
SEARCHES = {"quantrift_random", "quantrift_pso", "quantrift_noise"}
"""They need images of 8 bits that look like some, and are tried on the pair of the package."""
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
    made = {
        ".tflite": (to_tflite(network), int8(network, x), EditedTFLite),
        ".onnx": (original, onnx_int8(original, x), EditedONNX),
    }
    found = {}
    for suffix, (first, good, edited) in made.items():
        file = edited(good)
        file.scale(FAULTY, 2.0)
        file.lower(int(np.bincount(logits.argmax(axis=1)).argmax()), float(5 * np.ptp(logits)))
        found[suffix] = tuple(folder / f"{name}{suffix}" for name in ("original", "good", "broken"))
        for path, content in zip(found[suffix], (first, good, file.content()), strict=True):
            path.write_bytes(content)
    return found  # type: ignore[return-value]


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


@pytest.mark.parametrize("name", checker.names())
def test_every_checker_says_what_its_score_means(name: str) -> None:
    found = checker.load(name)
    assert found.TITLE
    assert found.MEANING
    assert set(found.SUFFIXES) <= set(checker.BOTH)
    assert found.PACKAGE is None or isinstance(found.PACKAGE, str)


def test_titles_are_unique() -> None:
    titles = [checker.load(name).TITLE for name in checker.names()]
    assert len(set(titles)) == len(titles)


def test_an_unknown_checker_is_refused_with_the_nearest() -> None:
    with pytest.raises(QuantriftError, match="accuracy"):
        checker.load("acuracy")


def test_sqnr_is_that_of_onnx_runtime() -> None:
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=(2, 5, 7)).astype(np.float32)
    expected = qdq_loss_debug.compute_signal_to_quantization_noice_ratio(x, x + noise)
    assert figures.sqnr(x, x + noise) == pytest.approx(expected)


def test_equal_tensors_have_no_noise_and_an_angle_of_none() -> None:
    x = np.arange(1, 7, dtype=np.float32)
    assert figures.sqnr(x, x) == figures.psnr(x, x) == math.inf
    assert figures.cosine(x, x) == pytest.approx(1)
    assert math.isnan(figures.cosine(x, 0 * x))


def test_psnr_has_the_range_of_the_original_as_its_peak() -> None:
    x = np.array([-1, 0, 3], np.float32)
    # Peak 4, mean squared error 0.04.
    assert figures.psnr(x, x + np.float32(0.2)) == pytest.approx(10 * math.log10(16 / 0.04), rel=1e-4)


@pytest.mark.parametrize("name", sorted(SEARCHES))
def test_searches_find_nothing_between_a_network_and_itself(name: str) -> None:
    found = checker.load(name)
    given = read(paths().inputs)
    assert given.labels is not None
    few = given.values[:40], given.labels[:40]
    assert found.score(paths().dynamic, paths().dynamic, *few) == 0
