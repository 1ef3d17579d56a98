"""One of several outputs of a Keras file and of a SavedModel, which are converted first."""

from pathlib import Path

import keras
import numpy as np
import pytest
from keras import layers

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.judge.intake.given_networks import compressed, original
from quantrift.judge.intake.input_form import InputForm

IMAGES = np.random.default_rng(0).random((5, 6, 5, 2)).astype(np.float32)


def network(by_name: bool) -> keras.Model:
    keras.utils.set_random_seed(0)
    image = keras.Input((6, 5, 2), name="image")
    seen = layers.Flatten()(layers.Conv2D(4, 3, activation="relu")(image))
    shares, logits = layers.Dense(6, activation="softmax")(seen), layers.Dense(3)(seen)
    return keras.Model(image, {"shares": shares, "logits": logits} if by_name else [shares, logits])


@pytest.mark.parametrize("by_name", [True, False], ids=["dictionary", "list"])
@pytest.mark.parametrize("kind", [".keras", "SavedModel"])
@pytest.mark.slow
def test_the_chosen_output_is_that_of_the_network_as_given(kind: str, by_name: bool, tmp_path: Path) -> None:
    model, path = network(by_name), tmp_path / ("net.keras" if kind == ".keras" else "net")
    if kind == ".keras":
        model.save(path)
    else:
        model.export(path, format="tf_saved_model", verbose=False)
    (tmp_path / "net.tflite").write_bytes(to_tflite(model))
    said = model(IMAGES)
    expected = (said["logits"] if by_name else said[1]).numpy()
    form = InputForm(outputs=("logits" if by_name else "output_1",))
    with ForeignFiles() as files:
        first = original(path, tmp_path, files, form)
        second = compressed(tmp_path / "net.tflite", files, form, first.chosen)
        np.testing.assert_allclose(first.network(IMAGES), expected, atol=1e-5)
        np.testing.assert_allclose(second.network(IMAGES), expected, atol=1e-5)


@pytest.mark.slow
def test_without_a_choice_such_a_network_is_refused(tmp_path: Path) -> None:
    network(by_name=True).save(tmp_path / "net.keras")
    with ForeignFiles() as files, pytest.raises(QuantriftError, match="has 2 outputs .*quantrift assess --output NAME"):
        original(tmp_path / "net.keras", tmp_path, files)
