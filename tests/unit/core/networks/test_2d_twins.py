"""Twins compute what their networks compute, in layers that exist in 8 bits."""

from pathlib import Path

import keras
import numpy as np
import pytest
from keras import layers

from quantrift.core.base.files import read_json
from quantrift.core.base.inputs import ScenePatches
from quantrift.core.networks import architecture
from quantrift.core.networks.architectures import ssrn
from quantrift.core.networks.keras_files import load, save
from quantrift.core.networks.macs import macs
from quantrift.core.networks.training.trained_network import train
from quantrift.core.settings.networks import SSRN, Networks, Training

ALL = Networks()


def as_if_trained(model: keras.Model, seed: int) -> keras.Model:
    """``model`` with random weights of the size that training gives, and random statistics of every normalisation."""
    rng = np.random.default_rng(seed)
    for layer in model.layers:
        if isinstance(layer, layers.BatchNormalization):
            shape = layer.gamma.shape
            factors, variances = rng.uniform(0.5, 1.5, shape), rng.uniform(0.3, 3, shape)
            layer.set_weights([factors, 0.3 * rng.normal(size=shape), 0.3 * rng.normal(size=shape), variances])
        elif layer.weights:
            kernel, *bias = layer.get_weights()
            kernel = rng.normal(size=kernel.shape) * np.sqrt(2 / np.prod(kernel.shape[:-1]))
            layer.set_weights([kernel, *(0.1 * rng.normal(size=value.shape) for value in bias)])
    # Without training one class would get every input, and no label could flip.
    kernel, bias = model.get_layer("logits").get_weights()
    model.get_layer("logits").set_weights([kernel, bias - model.predict_on_batch(inputs_of(model, seed)).mean(axis=0)])
    return model


def inputs_of(model: keras.Model, seed: int) -> np.ndarray:
    """A hundred noisy inputs (100, H, W, C), each around a spectrum of its own."""
    rng = np.random.default_rng(seed)
    _, rows, columns, channels = model.input_shape
    spectra, noise = rng.normal(size=(100, 1, 1, channels)), rng.normal(size=(100, rows, columns, channels))
    return (spectra + 0.5 * noise).astype(np.float32)


def largest_difference(model: keras.Model, twin: keras.Model, seed: int) -> tuple[float, float]:
    """Largest difference between the logits of two networks that label alike, and the largest logit."""
    x = inputs_of(model, seed)
    expected, outputs = model.predict_on_batch(x), twin.predict_on_batch(x)
    np.testing.assert_array_equal(outputs.argmax(axis=1), expected.argmax(axis=1))
    assert len(np.unique(expected.argmax(axis=1))) >= 3
    return float(np.abs(outputs - expected).max()), float(np.abs(expected).max())


@pytest.mark.parametrize("bands", [16, 30, 103, 204])
def test_the_twin_of_ssrn_labels_every_patch_like_it(bands: int) -> None:
    model = as_if_trained(ssrn.build(SSRN(), (7, 7, bands), 9), seed=bands)
    twin = ssrn.twin(model)
    assert largest_difference(model, twin, seed=bands)[0] <= 1e-5
    kinds = {type(layer).__name__ for layer in twin.layers}
    assert kinds == {"InputLayer", "Reshape", "Conv2D", "ReLU", "Add", "GlobalAveragePooling2D", "Dense"}


def test_the_twin_of_ssrn_works_more_by_its_diagonal_convolutions_alone() -> None:
    model = ssrn.build(SSRN(), (7, 7, 103), 9)
    of_model, of_twin = macs(model), macs(ssrn.twin(model))
    diagonal = {name: count for name, count in of_twin.items() if name not in of_model}
    assert {name: of_twin[name] for name in of_model} == of_model
    assert diagonal == {
        f"{kind}{block}_add_norm": positions * 24**2
        for kind, positions in (("spectral", 49 * 49), ("spatial", 25))
        for block in (1, 2)
    }


@pytest.mark.parametrize("name", ["resnet20", "plainnet20"])
def test_the_twin_of_a_residual_network_is_the_network_without_normalisation(name: str) -> None:
    network = architecture.load(name)
    model = as_if_trained(network.build(getattr(ALL, name), (32, 32, 3), 10), seed=0)
    twin = architecture.twin(name, model)
    difference, largest = largest_difference(model, twin, seed=0)
    # Nothing normalises the sums of the blocks, so that logits are far larger than trained ones.
    assert difference <= 1e-5 * largest
    assert not any(isinstance(layer, layers.BatchNormalization) for layer in twin.layers)
    assert macs(twin) == macs(model)


@pytest.mark.parametrize("name", ["lenet1", "lenet4", "lenet5", "cnn", "mlp", "vgg16"])
def test_networks_without_normalisation_are_their_own_twins(name: str) -> None:
    settings = getattr(ALL, name).model_copy(update={"width": 0.1})
    network = architecture.load(name)
    model = network.build(settings, (28, 28, 1), 10)
    assert architecture.twin(name, model) is model


def test_a_twin_can_be_made_of_a_network_read_from_its_file(tmp_path: Path) -> None:
    model = as_if_trained(ssrn.build(SSRN(width=0.25), (7, 7, 20), 4), seed=0)
    save(model, tmp_path / "model.keras")
    assert largest_difference(model, ssrn.twin(load(tmp_path / "model.keras")), seed=0)[0] <= 1e-5


@pytest.mark.slow
def test_training_ssrn_writes_a_twin_and_a_runtime_that_label_alike(tiny_scene: ScenePatches, tmp_path: Path) -> None:
    tiny_scene.save(tmp_path / "inputs.npz")
    training = Training(epochs=8, batch=16, learning_rate=0.003, optimizer="rmsprop")
    settings = SSRN(width=0.25, patch=9, training=training)
    train("ssrn", settings, tmp_path / "inputs.npz", tmp_path / "out")
    facts = read_json(tmp_path / "out" / "model.json")
    assert facts["accuracy"] > 0.8
    assert (facts["twin_flips"], facts["runtime_flips"]) == (0, 0)
    assert facts["twin_max_difference"] <= 1e-5
    assert facts["conv3d_mac_share"] > 0.99
