"""Attacks along a network's own gradients are foolbox's to the last bit that counts, and outcomes are their counts."""

from functools import partial
from typing import Any

import keras
import numpy as np
import pyarrow.parquet as pq
import pytest
import tensorflow as tf
from keras import layers

from quantrift.core.base.inputs import ImageStack
from quantrift.core.networks.training.accuracy_under_attack import COLUMNS, Attacked, measure, write
from quantrift.core.networks.training.adversarial_samples import drawn
from quantrift.core.settings.attacks import ProjectedGradient, Robustness
from quantrift.study.compression.bits.rounding import rounded

PERCEPTRON = (layers.Flatten(), layers.Dense(64, activation="relu"), layers.Dense(64, activation="relu"))
CONVOLUTIONS = (
    layers.Conv2D(8, 3, padding="same", activation="relu"),
    layers.MaxPooling2D(),
    layers.Conv2D(16, 3, activation="relu"),
    layers.Flatten(),
)
SHAPE = (12, 12, 1)
STRENGTHS = [0.0, 0.03, 0.1]


def network(hidden: tuple[layers.Layer, ...], bits: int) -> Any:
    """A network with rounded weights, 32 bits meaning floats, from images to logits."""
    copies = [layer.from_config(layer.get_config()) for layer in hidden]
    model = keras.Sequential([layers.Input(SHAPE), *copies, layers.Dense(10)])
    rng = np.random.default_rng(0)
    for weight in model.weights:
        if len(weight.shape) > 1:
            value = rng.normal(size=weight.shape, scale=0.2)
            weight.assign(rounded(value, np.full(value.shape, bits, np.uint8)))
    return partial(model, training=False)


@pytest.fixture(scope="module")
def batch() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    return rng.random((40, *SHAPE), np.float32), rng.integers(0, 10, 40)


@pytest.fixture(scope="module")
def inputs() -> ImageStack:
    rng = np.random.default_rng(2)
    return ImageStack(
        dataset="noise",
        title="Noise",
        class_names=[*"abcdefghij"],
        labels=rng.integers(0, 10, 90),
        train=np.arange(20),
        validation=np.empty(0, np.int64),
        test=np.arange(20, 90),
        images=rng.integers(0, 256, (90, *SHAPE), np.uint8),
    )


@pytest.mark.parametrize("bits", [1, 32])
@pytest.mark.parametrize("hidden", [PERCEPTRON, CONVOLUTIONS], ids=["perceptron", "convolutions"])
def test_attacks_are_those_of_foolbox(
    hidden: tuple[layers.Layer, ...], bits: int, batch: tuple[np.ndarray, np.ndarray]
) -> None:
    foolbox = pytest.importorskip("foolbox")
    logits, (x, truth) = network(hidden, bits), batch
    attacked = Attacked(logits, SHAPE, (0, 1))
    theirs = foolbox.TensorFlowModel(logits, (0, 1), "/CPU:0")
    fgsm = foolbox.attacks.LinfFastGradientAttack(random_start=False)
    pgd = foolbox.attacks.LinfPGD(rel_stepsize=0.25, steps=10, random_start=False)
    for strength, ours in zip(STRENGTHS, attacked.fast_gradient(x, truth, STRENGTHS), strict=True):
        for attack, samples in ((fgsm, ours), (pgd, attacked.projected(x, truth, strength, 10, 0.25))):
            _, expected, _ = attack(theirs, tf.constant(x), tf.constant(truth), epsilons=strength)
            np.testing.assert_allclose(samples, expected.numpy(), rtol=0, atol=1e-6)
            assert np.abs(samples - x).max() == pytest.approx(strength, abs=1e-6)


def test_a_saturated_softmax_has_no_gradient_and_the_margin_has_one(batch: tuple[np.ndarray, np.ndarray]) -> None:
    logits, (x, _) = network(PERCEPTRON, 1), batch
    truth = np.asarray(logits(x)).argmax(axis=1)
    steep = Attacked(lambda images: 1000 * logits(images), SHAPE, (0, 1))
    [by_entropy] = steep.fast_gradient(x, truth, [0.1])
    [by_margin] = steep.fast_gradient(x, truth, [0.1], "margin")
    still = (by_entropy == x).all(axis=(1, 2, 3))
    assert still.mean() > 0.9
    assert not (by_margin == x).all(axis=(1, 2, 3)).any()
    assert (steep(by_margin).argmax(axis=1) == truth).mean() < (steep(by_entropy).argmax(axis=1) == truth).mean()


def test_outcomes_count_what_is_still_labelled_correctly(inputs: ImageStack) -> None:
    logits = network(CONVOLUTIONS, 3)
    settings = Robustness(inputs=60, pgd=ProjectedGradient(steps=3, step=0.5, inputs=25))
    attacked = Attacked(logits, SHAPE, inputs.data_range)
    outcomes = list(measure(attacked, inputs, settings, STRENGTHS))
    assert [(one["attack"], one["strength"]) for one in outcomes] == [
        (attack, strength) for attack in ("fgsm", "fgsm_margin", "pgd") for strength in STRENGTHS
    ]
    assert [one["inputs"] for one in outcomes] == [60] * 6 + [25] * 3
    numbers = drawn(inputs, settings)
    x, truth = inputs.take(numbers), inputs.labels[numbers]
    for one, samples in zip(outcomes, attacked.fast_gradient(x, truth, STRENGTHS), strict=False):
        assert one["correct"] == (np.asarray(logits(samples)).argmax(axis=1) == truth).sum()
        assert one["unmoved"] == (60 if one["strength"] == 0 else 0)
    samples = attacked.projected(x[:25], truth[:25], STRENGTHS[-1], 3, 0.5)
    assert outcomes[-1]["correct"] == (np.asarray(logits(samples)).argmax(axis=1) == truth[:25]).sum()


def test_a_judge_labels_the_samples_in_place_of_the_network(inputs: ImageStack) -> None:
    attacked = Attacked(network(PERCEPTRON, 32), SHAPE, inputs.data_range)

    def judge(samples: np.ndarray) -> np.ndarray:
        return np.eye(10, dtype=np.float32)[np.full(len(samples), 4)]

    outcomes = measure(attacked, inputs, Robustness(), STRENGTHS, judge)
    fours = (inputs.labels[inputs.test] == 4).sum()
    assert {one["correct"] for one in outcomes} == {fours}


def test_a_file_has_a_row_for_each_network_attack_and_strength(inputs: ImageStack, tmp_path: Any) -> None:
    attacked = Attacked(network(PERCEPTRON, 2), SHAPE, inputs.data_range)
    outcomes = [("two", 3, one) for one in measure(attacked, inputs, Robustness(), [0.0, 0.06])]
    write(outcomes, tmp_path / "robustness.parquet")
    table = pq.read_table(tmp_path / "robustness.parquet")
    assert table.schema.equals(COLUMNS)
    assert set(table["setting"].to_pylist()) == {"two"}
    assert set(table["repetition"].to_pylist()) == {3}
    assert table["strength"].to_pylist() == [0.0, 0.06] * 3


@pytest.mark.parametrize("strengths", [[0.1], [0, 0.1, 0.1], [0, 0.1, 0.05]])
def test_strengths_ascend_from_none(strengths: list[float]) -> None:
    with pytest.raises(ValueError, match="strengths start with 0 and ascend"):
        Robustness(strengths=strengths)


def test_datasets_may_have_strengths_of_their_own() -> None:
    settings = Robustness(per_dataset={"cifar10": [0, 0.01]})
    assert settings.strengths_for("mnist") == [0, 0.03, 0.06, 0.1]
    assert settings.strengths_for("cifar10") == [0, 0.01]
