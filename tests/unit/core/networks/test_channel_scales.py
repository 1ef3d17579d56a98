"""Attacks on a network with inputs standardised by channel equal those on one that standardises inside."""

from pathlib import Path

import keras
import numpy as np
import pandas as pd
import pytest
import tensorflow as tf
from keras import layers

from quantrift.core.base.archive import read_arrays
from quantrift.core.base.inputs import ImageStack
from quantrift.core.networks.own.litert import LiteRT
from quantrift.core.networks.training.adversarial_samples import attack as attack_original
from quantrift.core.settings.attacks import FastGradient, ProjectedGradient, Robustness
from quantrift.study.compression.compressed_under_attack import attack as attack_file

SHAPE = (6, 6, 3)
MEAN, STD = np.array((0.5, 0.4, 0.3)), np.array((0.1, 0.2, 0.4))
BLACK, WHITE = (((end - MEAN) / STD).astype(np.float32) for end in (0, 1))
NONE = np.empty(0, np.int64)


@pytest.fixture(scope="module")
def networks() -> tuple[keras.Model, keras.Model]:
    """A network that wants channels standardised, and the same after a step that does it."""
    keras.utils.set_random_seed(3)
    image = keras.Input(SHAPE)
    hidden = layers.Conv2D(4, 3, activation="relu")(image)
    own = keras.Model(image, layers.Dense(3)(layers.Flatten()(hidden)))
    plain = keras.Input(SHAPE)
    scaled = layers.Rescaling((WHITE - BLACK).tolist(), BLACK.tolist())(plain)
    return own, keras.Model(plain, own(scaled))


@pytest.fixture(scope="module")
def inputs(networks: tuple[keras.Model, keras.Model]) -> ImageStack:
    """Images that the networks label correctly, as the first wants them."""
    images = np.random.default_rng(0).integers(0, 256, (60, *SHAPE), np.uint8)
    return ImageStack(
        dataset="some",
        title="Some",
        class_names=list("abc"),
        labels=networks[1](images.astype(np.float32) / 255).numpy().argmax(axis=1),
        train=NONE,
        validation=NONE,
        test=np.arange(60),
        images=images,
        black=BLACK,
        white=WHITE,
    )


def test_plain_inputs_come_back_as_the_network_wants_them(inputs: ImageStack) -> None:
    shown = inputs.plain
    assert shown.data_range == (0, 1)
    assert inputs.scaled(shown.take(inputs.test)).tobytes() == inputs.take(inputs.test).tobytes()
    assert shown.plain is shown
    x = shown.take([0])
    assert shown.scaled(x) is x


def test_adversarial_samples_move_the_image_and_stay_between_black_and_white(
    networks: tuple[keras.Model, keras.Model], inputs: ImageStack, tmp_path: Path
) -> None:
    pytest.importorskip("foolbox")
    settings = FastGradient(method="fast_gradient", radius=0.1, inputs=40)
    samples = []
    for name, network, given in zip(("own", "plain"), networks, (inputs, inputs.plain), strict=True):
        network.save(tmp_path / f"{name}.keras")
        attack_original(tmp_path / f"{name}.keras", given, settings, tmp_path / f"{name}.npz")
        samples.append(read_arrays(tmp_path / f"{name}.npz")["samples"])
    np.testing.assert_allclose(samples[0], inputs.scaled(samples[1]), atol=1e-5)
    moved = (samples[0] - inputs.take(read_arrays(tmp_path / "own.npz")["numbers"])) / (WHITE - BLACK)
    assert np.abs(moved).max() == pytest.approx(0.1, rel=1e-3)
    assert (samples[0] >= BLACK - 1e-5).all()
    assert (samples[0] <= WHITE + 1e-5).all()


def test_robustness_is_that_of_the_network_that_standardises_by_itself(
    networks: tuple[keras.Model, keras.Model], inputs: ImageStack, tmp_path: Path
) -> None:
    settings = Robustness(inputs=50, pgd=ProjectedGradient(steps=2, inputs=20))
    found = []
    for name, network, given in zip(("own", "plain"), networks, (inputs, inputs.plain), strict=True):
        file, out = tmp_path / f"{name}.tflite", tmp_path / f"{name}.parquet"
        file.write_bytes(tf.lite.TFLiteConverter.from_keras_model(network).convert())
        attack_file("net", file, LiteRT(file), given, settings, [0.0, 0.03, 0.1], out)
        found.append(pd.read_parquet(out))
    pd.testing.assert_frame_equal(found[0], found[1])
    fgsm = found[0][found[0]["attack"] == "fgsm"]["correct"].tolist()
    assert fgsm[0] == 50
    assert fgsm[0] > fgsm[1] > fgsm[2]
