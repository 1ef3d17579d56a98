"""Fine-tuning on 8-bit grids gives a file that computes on those grids, and a network that is still the same one."""

from pathlib import Path

import keras
import numpy as np
import pytest
from keras import layers
from tests.factories.shared import slow

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import ScenePatches
from quantrift.core.networks.batch_norm import folded
from quantrift.core.networks.evaluate import accuracy, flips
from quantrift.core.networks.keras_files import save
from quantrift.core.networks.operation_audit import audit
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.networks.tflite_files import optimized
from quantrift.core.networks.training.fine_tuning import untuned, with_weights_of
from quantrift.core.networks.training.original import Original
from quantrift.core.networks.training.training_run import fit, reproducible
from quantrift.core.settings.training import Training
from quantrift.study.compression.methods import qat_int8

TRAINING = Training(epochs=2, batch=50, learning_rate=0.0001)
SETTINGS = qat_int8.Settings(method="qat_int8", training=TRAINING)


@pytest.fixture(scope="module")
@slow
def content(trained: Path, tiny_scene: ScenePatches) -> bytes:
    """The HybridSN of the tiny scene, as a file in 8 bits."""
    return qat_int8.compress(Original(trained), tiny_scene, SETTINGS).content


@pytest.fixture
def residual(tiny_scene: ScenePatches, tmp_path: Path) -> Original:
    """A network of two sums, one normalised and one with ReLU."""
    patch = keras.Input(tiny_scene.shape)
    start = layers.Conv2D(4, 3, activation="relu")(patch)
    total = layers.Add()([start, layers.Conv2D(4, 3, padding="same")(start)])
    normalised = layers.ReLU()(layers.BatchNormalization(name="norm")(total))
    total = layers.ReLU()(layers.Add()([total, normalised]))
    model = keras.Model(patch, layers.Dense(3)(layers.GlobalAveragePooling2D()(total)))
    save(model, tmp_path / "model.keras")
    save(folded(model), tmp_path / "twin.keras")
    return Original(tmp_path)


def fine_tuned(original: Original, inputs: ScenePatches) -> keras.Model:
    reproducible(TRAINING)
    model = untuned(original, inputs, TRAINING, rounded=True)
    fit(model, inputs, TRAINING)
    return model


def test_every_multiplication_of_a_3d_network_runs_in_8_bits(content: bytes) -> None:
    report = audit(content)
    assert report["int8_mac_share"] == 1
    assert {op["op"] for op in report["ops"] if op["macs"]} == {"CONV_2D", "FULLY_CONNECTED"}


@pytest.mark.slow
def test_the_file_is_the_fine_tuned_network_and_comes_out_the_same_again(
    content: bytes, trained: Path, tiny_scene: ScenePatches, tmp_path: Path
) -> None:
    model = fine_tuned(Original(trained), tiny_scene)
    assert optimized(model) == content
    (tmp_path / "model.tflite").write_bytes(content)
    x, truth = tiny_scene.take(range(len(tiny_scene))), tiny_scene.labels
    of_model, of_file = model.predict_on_batch(x), LiteRT(tmp_path / "model.tflite")(x)
    assert flips(of_file, of_model) == 0
    # On the same levels, though single roundings inside may differ.
    level = np.diff(np.unique(of_file)).min()
    np.testing.assert_allclose(of_model / level, np.round(of_model / level), rtol=0, atol=0.01)
    assert np.abs(of_file - of_model).max() < 4.5 * level
    of_original = LiteRT(trained / "original.tflite")(x)
    assert accuracy(of_file, truth) >= accuracy(of_original, truth) - 0.02


@pytest.mark.slow
def test_sums_means_and_diagonal_convolutions_of_residual_networks_run_in_8_bits(
    residual: Original, tiny_scene: ScenePatches
) -> None:
    ops = audit(qat_int8.compress(residual, tiny_scene, SETTINGS).content)["ops"]
    # No ReLU, copy or change of grid stands between them.
    assert [op["op"] for op in ops] == [
        *("QUANTIZE", "CONV_2D", "CONV_2D", "ADD", "CONV_2D", "ADD", "MEAN", "FULLY_CONNECTED", "DEQUANTIZE")
    ]
    assert {(op["input"], op["output"]) for op in ops[1:-1]} == {("INT8", "INT8")}


@pytest.mark.parametrize(
    ("layer", "named"),
    [(layers.BatchNormalization(name="odd"), "BatchNormalization"), (layers.Conv2D(1, 3, activation="tanh"), "tanh")],
)
def test_a_layer_without_8_bit_form_is_refused_by_name(
    layer: layers.Layer, named: str, tiny_scene: ScenePatches, tmp_path: Path
) -> None:
    patch = keras.Input(tiny_scene.shape)
    model = keras.Model(patch, layers.Dense(3)(layers.Flatten()(layer(patch))))
    for name in ("model.keras", "twin.keras"):
        save(model, tmp_path / name)
    with pytest.raises(QuantriftError, match=rf"'{layer.name}' \(.*{named}\) .*; use ptq_int8"):
        qat_int8.compress(Original(tmp_path), tiny_scene, SETTINGS)


@pytest.mark.slow
def test_a_normalisation_behind_a_sum_mixes_no_channels_after_fine_tuning(
    residual: Original, tiny_scene: ScenePatches
) -> None:
    model = fine_tuned(residual, tiny_scene)
    tuned = with_weights_of(model, residual.twin).get_layer("norm").get_weights()[0][0, 0]
    before = residual.twin.get_layer("norm").get_weights()[0][0, 0]
    np.testing.assert_array_equal(tuned, np.diag(np.diag(tuned)))
    assert np.all(np.diag(tuned) != np.diag(before))
