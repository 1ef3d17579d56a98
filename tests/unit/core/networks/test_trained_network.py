"""Training writes consistent files, and the same ones again."""

import csv
from pathlib import Path

import numpy as np
import pytest

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import read_json
from quantrift.core.base.inputs import ImageStack, ScenePatches
from quantrift.core.networks.evaluate import accuracy, logits
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.networks.training.trained_network import train
from quantrift.core.settings.networks import HybridSN, LeNet5, Training


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_stated_accuracy_is_that_of_the_original_searches_run(trained: Path, tiny_scene: ScenePatches) -> None:
    facts = read_json(trained / "model.json")
    outputs = logits(LiteRT(trained / "original.tflite"), tiny_scene, tiny_scene.test)
    assert facts["accuracy"] == accuracy(outputs, tiny_scene.labels[tiny_scene.test])
    assert facts["accuracy"] > 0.8
    assert facts["test_inputs"] == 156


def test_confusion_holds_every_test_input_in_its_true_class(trained: Path, tiny_scene: ScenePatches) -> None:
    confusion = rows(trained / "confusion.csv")
    assert [row.pop("true class") for row in confusion] == tiny_scene.class_names
    counts = np.array([[int(count) for count in row.values()] for row in confusion])
    assert counts.sum(axis=1).tolist() == np.bincount(tiny_scene.labels[tiny_scene.test]).tolist()
    assert counts.trace() / counts.sum() == read_json(trained / "model.json")["accuracy"]


def test_twin_and_runtime_label_like_the_network(trained: Path) -> None:
    facts = read_json(trained / "model.json")
    assert (facts["twin_flips"], facts["runtime_flips"]) == (0, 0)
    assert facts["twin_max_difference"] <= 1e-5
    assert facts["runtime_max_difference"] <= 1e-4


def test_history_has_a_row_per_epoch_and_training_helps(trained: Path, hybridsn_settings: HybridSN) -> None:
    history = rows(trained / "history.csv")
    assert [row["epoch"] for row in history] == ["1", "2", "3", "4"]
    assert list(history[0]) == ["epoch", "loss", "accuracy"]
    assert float(history[-1]["loss"]) < float(history[0]["loss"])


@pytest.mark.slow
def test_training_again_writes_the_same_bytes(
    trained: Path, hybridsn_settings: HybridSN, scene_path: Path, tmp_path: Path
) -> None:
    train("hybridsn", hybridsn_settings, scene_path, tmp_path)
    names = {path.name for path in trained.iterdir()} - {"model.timing.json"}
    expected = {"model.keras", "twin.keras", "original.tflite", "history.csv", "confusion.csv", "model.json"}
    assert names == expected
    for name in names:
        assert (tmp_path / name).read_bytes() == (trained / name).read_bytes(), name


def test_another_number_of_threads_needs_another_process(
    trained: Path, hybridsn_settings: HybridSN, scene_path: Path, tmp_path: Path
) -> None:
    training = hybridsn_settings.training.model_copy(update={"threads": 5})
    with pytest.raises(QuantriftError, match=r"training\.threads=5"):
        train("hybridsn", hybridsn_settings.model_copy(update={"training": training}), scene_path, tmp_path)


@pytest.mark.slow
def test_lenet5_is_its_own_twin_and_its_validation_is_in_the_history(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    labels = np.arange(90) % 3
    images = rng.integers(0, 40, (90, 28, 28, 1)) + 80 * labels[:, None, None, None]
    parts = np.split(np.arange(90), [40, 60])
    inputs = ImageStack(
        dataset="greys",
        title="Greys",
        class_names=["dark", "grey", "light"],
        labels=labels,
        train=parts[0],
        validation=parts[1],
        test=parts[2],
        images=images.astype(np.uint8),
    )
    inputs.save(tmp_path / "inputs.npz")
    settings = LeNet5(width=0.5, training=Training(epochs=6, batch=8, learning_rate=0.003))
    train("lenet5", settings, tmp_path / "inputs.npz", tmp_path / "out")
    facts = read_json(tmp_path / "out" / "model.json")
    assert facts["macs"] == facts["twin_macs"]
    assert facts["conv3d_mac_share"] == 0
    assert facts["accuracy"] > 0.9
    history = rows(tmp_path / "out" / "history.csv")
    assert list(history[0]) == ["epoch", "loss", "accuracy", "validation_accuracy"]
    assert float(history[-1]["validation_accuracy"]) > 0.9
