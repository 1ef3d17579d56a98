"""A network in a .tflite file is attacked along its true gradients, and judged as the real file runs."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tensorflow as tf

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import ScenePatches
from quantrift.core.networks.keras_files import load
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.networks.training.accuracy_under_attack import Attacked
from quantrift.core.networks.training.adversarial_samples import drawn
from quantrift.core.pairs.tflite_to_tensorflow import Translation
from quantrift.core.settings.attacks import ProjectedGradient, Robustness
from quantrift.study.compression.compressed_under_attack import attack

SETTINGS = Robustness(inputs=40, pgd=ProjectedGradient(steps=2, inputs=10))
STRENGTHS = [0.0, 0.02, 0.05]


def test_the_gradient_of_a_float_file_is_that_of_its_network(trained: Path, tiny_scene: ScenePatches) -> None:
    x, truth = tiny_scene.take(tiny_scene.test[:20]), tiny_scene.labels[tiny_scene.test[:20]]
    network = load(trained / "model.keras")
    by_file = Attacked(Translation(trained / "original.tflite").logits, tiny_scene.shape, tiny_scene.data_range)
    by_network = Attacked(lambda images: network(images, training=False), tiny_scene.shape, tiny_scene.data_range)
    np.testing.assert_allclose(by_file(x), by_network(x), atol=1e-4)
    [one], [other] = (each.fast_gradient(x, truth, [0.1]) for each in (by_file, by_network))
    # Signs of gradients that are nearly 0 may differ.
    assert (np.abs(one - other) < 1e-6).mean() > 0.999


@pytest.mark.parametrize("name", ["original", "compressed"])
def test_samples_along_the_twin_are_judged_by_the_file_itself(
    name: str, trained: Path, compressed: Path, tiny_scene: ScenePatches, tmp_path: Path
) -> None:
    file = trained / "original.tflite" if name == "original" else compressed / "model.tflite"
    attack(name, file, LiteRT(file), tiny_scene, SETTINGS, STRENGTHS, tmp_path / "robustness.parquet")
    found = pd.read_parquet(tmp_path / "robustness.parquet")
    assert (found["setting"] == name).all()
    fgsm = found[found["attack"] == "fgsm"]
    numbers = drawn(tiny_scene, SETTINGS)
    x, truth = tiny_scene.take(numbers), tiny_scene.labels[numbers]
    low, high = tiny_scene.data_range
    twin = Attacked(Translation(file).logits, tiny_scene.shape, (low, high))
    samples = twin.fast_gradient(x, truth, [strength * (high - low) for strength in STRENGTHS])
    real = LiteRT(file)
    assert fgsm["correct"].tolist() == [(real(one).argmax(axis=1) == truth).sum() for one in samples]
    assert fgsm["correct"].iloc[-1] < fgsm["correct"].iloc[0]
    assert found.groupby("attack")["inputs"].first().to_dict() == {"fgsm": 40, "fgsm_margin": 40, "pgd": 10}


def test_a_file_that_cannot_be_read_is_one_line(tiny_scene: ScenePatches, tmp_path: Path) -> None:
    (tmp_path / "model.tflite").write_bytes(b"nothing")
    with pytest.raises(QuantriftError, match=r"model\.tflite"):
        attack(
            "x",
            tmp_path / "model.tflite",
            LiteRT(tmp_path / "model.tflite"),
            tiny_scene,
            SETTINGS,
            STRENGTHS,
            tmp_path / "out.parquet",
        )
    assert not (tmp_path / "out.parquet").exists()
    assert tf.config.threading.get_inter_op_parallelism_threads() == 1
