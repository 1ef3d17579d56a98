"""Each planted fault is the mistake that it is called: what it makes of the network, before it is put into 8 bits."""

import re
from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import pytest

from quantrift.study.league.planted import faults
from quantrift.study.league.planted.trained_networks import KINDS, NETWORKS, Kind, Trained

RNG = np.random.default_rng(0)
ALL = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


@pytest.fixture(autouse=True)
def _in_float(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "int8", lambda model, samples, **how: (model, samples))


def _drawn(shape: tuple[int, ...]) -> np.ndarray:
    """Kernels of both signs; of a vector, which may hold variances, positive values."""
    signs = RNG.choice([-1, 1], shape) if len(shape) > 1 else 1
    return signs * RNG.uniform(0.2, 0.4, shape)


def untrained(kind: Kind) -> Trained:
    """A network with weights, biases and averages that are all different."""
    keras.utils.set_random_seed(0)
    model, early = kind.build(), kind.build()
    for one in (model, early):
        one.set_weights([_drawn(values.shape) for values in one.get_weights()])
    return Trained(kind, model, early, images(kind, 6), images(kind, 2), images(kind, 6))


def images(kind: Kind, number: int) -> np.ndarray:
    shares = RNG.random((number, 28, 28, 3 if kind.tinted else 1), np.float32)
    return (kind.black + shares * np.float32(kind.white - kind.black)).astype(np.float32)


def planted(fault: Callable[[Trained], object], net: Trained) -> keras.Model:
    made: Any = fault(net)
    model, samples = made
    assert samples is net.samples
    return model


def logits(model: keras.Model, inputs: np.ndarray) -> np.ndarray:
    return np.asarray(model(inputs))


def behind_layer(model: keras.Model, name: str, inputs: np.ndarray) -> np.ndarray:
    return np.asarray(keras.Model(model.inputs, model.get_layer(name).output)(inputs))


@ALL
def test_swapped_classes_have_each_others_logits(kind: Kind) -> None:
    net = untrained(kind)
    found, before = (logits(model, net.others) for model in (planted(faults.swapped, net), net.model))
    order = [0, 1, 2, 3, 9, 5, 6, 7, 8, 4]
    np.testing.assert_allclose(found, before[:, order], rtol=1e-5)


@ALL
def test_a_stuck_output_is_a_constant_and_the_others_are_as_before(kind: Kind) -> None:
    net = untrained(kind)
    found, before = (logits(model, net.others) for model in (planted(faults.stuck, net), net.model))
    assert (found[:, 8] == 4).all()
    np.testing.assert_allclose(np.delete(found, 8, axis=1), np.delete(before, 8, axis=1), rtol=1e-5)


@pytest.mark.parametrize(
    ("kind", "layer", "after"),
    [
        (KINDS[0], "conv1", "conv2"),
        (KINDS[1], "stem", "depthwise1"),
        (KINDS[2], "block1_conv1", "block1_conv2"),
    ],
    ids=lambda one: getattr(one, "name", one),
)
def test_the_channel_that_counts_most_is_dead_and_the_others_are_as_before(kind: Kind, layer: str, after: str) -> None:
    net = untrained(kind)
    weights = np.abs(net.model.get_layer(after).get_weights()[0]).sum(axis=(0, 1, 3))
    most = int(weights.argmax())
    found, before = (behind_layer(model, layer, net.others) for model in (planted(faults.dead_channel, net), net.model))
    assert (found[..., most] == 0).all()
    np.testing.assert_allclose(np.delete(found, most, axis=-1), np.delete(before, most, axis=-1), rtol=1e-5)


@pytest.mark.parametrize(("kind", "layer"), [(KINDS[1], "pointwise3"), (KINDS[2], "block2_conv2")], ids=["1", "2"])
def test_normalisation_without_its_bias_only_scales(kind: Kind, layer: str) -> None:
    net = untrained(kind)
    model = planted(faults.without_bias, net)
    raw = behind_layer(net.model, layer, net.others)
    gamma, _, _, variance = net.model.get_layer(f"{layer}_norm").get_weights()
    found = behind_layer(model, f"{layer}_norm", net.others)
    np.testing.assert_allclose(found, raw * gamma / np.sqrt(variance + 1e-3), rtol=1e-3, atol=1e-4)


def test_layers_without_a_bias_give_0_for_an_image_of_0() -> None:
    net = untrained(KINDS[0])
    assert not logits(planted(faults.without_bias, net), np.zeros_like(net.others)).any()


def test_channels_in_the_other_order() -> None:
    net = untrained(KINDS[2])
    found = logits(planted(faults.channel_order, net), net.others)
    np.testing.assert_allclose(found, logits(net.model, net.others[..., ::-1]), rtol=1e-4)


@ALL
def test_rows_are_columns(kind: Kind) -> None:
    net = untrained(kind)
    found = logits(planted(faults.transposed, net), net.others)
    np.testing.assert_allclose(found, logits(net.model, net.others.transpose(0, 2, 1, 3)), rtol=1e-4)


@pytest.mark.parametrize(
    ("kind", "low", "high"),
    [(KINDS[0], -1, 1), (KINDS[1], -0.286 / 0.353, 0.714 / 0.353), (KINDS[2], -0.449 / 0.226, 0.551 / 0.226)],
    ids=lambda one: getattr(one, "name", one),
)
def test_inputs_are_standardised_by_other_numbers(kind: Kind, low: float, high: float) -> None:
    net = untrained(kind)
    shares = (net.others - kind.black) / (kind.white - kind.black)
    standardised = low + shares * (high - low)
    if kind.name == "residual":
        # The network takes bytes, which its first layer brings to -1 to 1.
        standardised = (standardised + 1) * 127.5
    found = logits(planted(faults.normalisation, net), net.others)
    np.testing.assert_allclose(found, logits(net.model, standardised.astype(np.float32)), rtol=1e-3)


@ALL
def test_an_older_checkpoint_is_that_of_the_first_epoch(kind: Kind) -> None:
    net = untrained(kind)
    assert planted(faults.older, net) is net.early


@pytest.mark.parametrize(("kind", "share"), [*zip(KINDS, (0.12, 0.75, 0.5), strict=True)], ids=["1", "2", "3"])
def test_a_range_that_saturates_was_measured_on_dark_images(kind: Kind, share: float) -> None:
    net = untrained(kind)
    made: Any = faults.saturated(net)
    model, dark = made
    assert model is net.model
    np.testing.assert_allclose(dark - kind.black, share * (net.samples - kind.black), rtol=1e-4, atol=1e-5)


def test_networks_take_the_values_that_they_are_described_with() -> None:
    for kind in NETWORKS:
        if found := re.search(r"(?:inputs|bytes) from (-?\d+) to (\d+)", kind.title):
            assert (kind.black, kind.white) == tuple(map(float, found.groups()))
