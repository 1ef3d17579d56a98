"""The control is the float network trained further, in the same steps, and still the same 3-D network."""

from pathlib import Path

import keras
import numpy as np
import pytest
from keras import layers

from quantrift.core.base.inputs import ScenePatches
from quantrift.core.networks.architectures.hybridsn import folded_kernel
from quantrift.core.networks.operation_audit import audit
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.networks.training.fine_tuning import untuned, with_weights_of
from quantrift.core.networks.training.original import Original
from quantrift.core.networks.training.training_run import fit, reproducible
from quantrift.core.settings.training import Training
from quantrift.study.compression.methods import qat_control

TRAINING = Training(epochs=2, batch=50, learning_rate=0.0001)


@pytest.fixture(scope="module")
def tuned(trained: Path, tiny_scene: ScenePatches) -> keras.Model:
    """The HybridSN of the tiny scene after the steps of the control, in plain layers."""
    original = Original(trained)
    reproducible(TRAINING)
    model = untuned(original, tiny_scene, TRAINING, rounded=False)
    fit(model, tiny_scene, TRAINING)
    return with_weights_of(model, original.twin)


@pytest.mark.slow
def test_the_file_is_the_original_with_other_weights(
    tuned: keras.Model, trained: Path, tiny_scene: ScenePatches, tmp_path: Path
) -> None:
    result = qat_control.compress(
        Original(trained), tiny_scene, qat_control.Settings(method="qat_control", training=TRAINING)
    )
    assert audit(result.content)["ops"] == audit(trained / "original.tflite")["ops"]
    (tmp_path / "model.tflite").write_bytes(result.content)
    x = tiny_scene.take(tiny_scene.test)
    outputs, before = LiteRT(tmp_path / "model.tflite")(x), LiteRT(trained / "original.tflite")(x)
    np.testing.assert_allclose(outputs, tuned.predict_on_batch(x), rtol=0, atol=1e-4)
    assert 0.01 < np.abs(outputs - before).max() < 2


def test_3d_convolutions_stay_3d_convolutions(tuned: keras.Model, trained: Path) -> None:
    original = Original(trained)
    for before in original.network.layers:
        if isinstance(before, layers.Conv3D):
            kernel, bias = tuned.get_layer(before.name).get_weights()
            rows, columns, k, channels, filters = before.kernel.shape
            depth, positions = kernel.shape[2] // channels, len(bias) // filters
            blocks = kernel.reshape(rows, columns, depth, channels, positions, filters)
            small = blocks[:, :, :k, :, 0]
            np.testing.assert_array_equal(kernel, folded_kernel(small, depth))
            np.testing.assert_array_equal(bias, np.tile(bias[:filters], positions))
            assert np.mean(small != before.get_weights()[0]) > 0.5


def test_fine_tuning_the_twin_is_fine_tuning_the_3d_network(
    tuned: keras.Model, trained: Path, tiny_scene: ScenePatches
) -> None:
    network = keras.models.clone_model(Original(trained).network)
    network.set_weights(Original(trained).network.get_weights())
    for layer in network.layers:
        if isinstance(layer, layers.Dropout):
            layer.rate = 0
    reproducible(TRAINING)
    fit(network, tiny_scene, TRAINING)
    for layer in network.layers:
        if isinstance(layer, layers.Conv3D):
            kernel = tuned.get_layer(layer.name).kernel
            first = folded_kernel(layer.get_weights()[0], kernel.shape[2] // layer.kernel.shape[3])
            np.testing.assert_allclose(kernel, first, rtol=0, atol=1e-5)
