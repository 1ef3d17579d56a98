"""Twins compute what their files say, and their gradients are those of finite differences."""

from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from keras import Sequential, layers

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.layer_values.neurons import Neurons
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.core.pairs.twins import BATCH, Twin, Twins


@pytest.fixture(scope="module")
def both(trained: Path, compressed: Path) -> tuple[Path, Path]:
    return trained / "original.tflite", compressed / "model.tflite"


@pytest.fixture(scope="module")
def patches(scene_path: Path) -> np.ndarray:
    """More than the twins run at once."""
    return Inputs.load(scene_path).take(np.arange(BATCH + 9))


def weights_for(twins: Twins, n: int) -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    return [rng.normal(size=(n, count)).astype(np.float32) for count in twins.neurons]


def test_a_twin_computes_what_its_file_does_but_for_the_rounding_of_activations(
    both: tuple[Path, Path], patches: np.ndarray
) -> None:
    for path, tolerance in zip(both, (1e-5, 0.1), strict=True):
        logits, neurons = Neurons(path)(patches)
        values, heights = (result.numpy() for result in Twin(path)(tf.constant(patches)))
        scale = np.abs(neurons).max()
        assert np.abs(values - neurons).max() <= tolerance * scale
        assert (values[:, -3:].argmax(axis=1) == logits.argmax(axis=1)).mean() > 0.9
        assert heights.min() == 0
        assert heights.max() == 1


@pytest.mark.slow
def test_gradients_are_those_of_finite_differences(both: tuple[Path, Path], patches: np.ndarray) -> None:
    twins, single = Twins(*both), [Twin(path) for path in both]
    weights = weights_for(twins, 1)
    [gradient] = twins(patches[:1], *weights).gradient

    def total(x: np.ndarray) -> float:
        return sum(
            float(tf.reduce_sum(twin(tf.constant(x))[0] * own)) for twin, own in zip(single, weights, strict=True)
        )

    exact = patches[:1].astype(np.float64)
    places = np.random.default_rng(2).choice(exact.size, 25, replace=False)
    assert np.abs(gradient[places]).max() > 0.01
    for place in places:
        step = np.zeros_like(exact)
        step.flat[place] = 1e-6
        difference = (total(exact + step) - total(exact - step)) / 2e-6
        np.testing.assert_allclose(gradient[place], difference, rtol=1e-3, atol=1e-4)


def test_what_twins_say_of_an_input_does_not_depend_on_the_others(both: tuple[Path, Path], patches: np.ndarray) -> None:
    twins = Twins(*both)
    weights = weights_for(twins, len(patches))
    whole = twins(patches, *weights)
    for rows in (np.array([5]), np.array([BATCH + 3]), np.arange(len(patches))[::-1]):
        part = twins(patches[rows], *(own[rows] for own in weights))
        for name, values in vars(part).items():
            assert np.array_equal(values, getattr(whole, name)[rows]), name


def test_a_number_of_inputs_whose_results_have_other_last_bits_is_never_run(
    both: tuple[Path, Path], patches: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, sizes = Twins._run, set()

    def with_kernels_of_their_own(self: Twins, given: list[np.ndarray]) -> list[np.ndarray]:
        count = len(given[0])
        sizes.add(count)
        return [values * np.float32(1 + 2**-20) if count in (5, 6, 8) else values for values in run(self, given)]

    monkeypatch.setattr(Twins, "_run", with_kernels_of_their_own)
    twins = Twins(*both)
    assert not any(map(twins.alike, (5, 6, 8)))
    weights = weights_for(twins, len(patches))
    whole = twins(patches, *weights)
    for count in (4, 5, 6, 8):
        twins.prepare(count)
        sizes.clear()
        part = twins(patches[:count], *(own[:count] for own in weights))
        assert sizes.isdisjoint({5, 6, 8})
        for name, values in vars(part).items():
            assert np.array_equal(values, getattr(whole, name)[:count]), name


@pytest.mark.slow
def test_few_inputs_are_not_filled_up_to_a_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Matrix products are filled up, within the network; all else here is computed value by value.
    path = exported(tmp_path / "model.tflite", layers.Flatten(), layers.Dense(40, "relu"), layers.Dense(70, "relu"))
    twins = Twins(path, path)
    assert all(twins.alike(count) for count in range(1, BATCH + 1))
    run, sizes = Twins._run, []

    def noted(self: Twins, given: list[np.ndarray]) -> list[np.ndarray]:
        sizes.append(len(given[0]))
        return run(self, given)

    monkeypatch.setattr(Twins, "_run", noted)
    twins(np.zeros((BATCH + 3, 8, 8, 3), np.float32), *weights_for(twins, BATCH + 3))
    assert sizes == [BATCH, 3]


def exported(path: Path, *network: layers.Layer) -> Path:
    model = Sequential([layers.Input((8, 8, 3)), *network, layers.Flatten(), layers.Dense(4)])
    rng = np.random.default_rng(0)
    model.set_weights([rng.normal(size=value.shape) * 0.5 for value in model.get_weights()])
    path.write_bytes(to_tflite(model))
    return path


def test_operations_of_other_networks_have_twins_too(tmp_path: Path) -> None:
    path = exported(
        tmp_path / "model.tflite",
        layers.Conv2D(6, 3, strides=2, padding="same", activation="relu"),
        layers.DepthwiseConv2D(3, depth_multiplier=2, activation="relu6"),
        layers.AveragePooling2D(2),
    )
    x = np.random.default_rng(1).random((BATCH, 8, 8, 3), np.float32)
    values, _ = Twin(path)(tf.constant(x))
    np.testing.assert_allclose(values.numpy()[:, -4:], LiteRT(path)(x), atol=1e-5)


def test_an_operation_without_a_translation_is_one_line(tmp_path: Path) -> None:
    path = exported(tmp_path / "model.tflite", layers.Activation("tanh"))
    with pytest.raises(QuantriftError, match=r"operation TANH has no differentiable form; search this network with"):
        Twin(path)
