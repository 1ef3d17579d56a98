"""A compression is described truly, or refused without a trace."""

import shutil
from pathlib import Path

import keras
import numpy as np
import pytest

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import read_json
from quantrift.core.base.inputs import ScenePatches
from quantrift.core.networks.architectures import hybridsn
from quantrift.core.networks.keras_files import save
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.settings.networks import HybridSN
from quantrift.core.statistics import margin_files
from quantrift.study.compression.build import build
from quantrift.study.compression.methods.ptq_int8 import Settings as PtqInt8
from quantrift.study.compression.methods.tflite_float import Settings as TfliteFloat


def test_the_stated_facts_are_those_of_the_files(compressed: Path, trained: Path, tiny_scene: ScenePatches) -> None:
    facts = read_json(compressed / "compression.json")
    x, truth = tiny_scene.take(tiny_scene.test), tiny_scene.labels[tiny_scene.test]
    before = LiteRT(trained / "original.tflite")(x).argmax(axis=1)
    after = LiteRT(compressed / "model.tflite")(x).argmax(axis=1)
    assert facts["accuracy"] == (after == truth).mean()
    assert facts["accuracy_original"] == (before == truth).mean() == read_json(trained / "model.json")["accuracy"]
    margins, clusters = margin_files.read(compressed / "margins.npz")
    assert facts["flips"] == (before != after).sum() == margins.differs.sum()
    assert clusters.tolist() == tiny_scene.clusters(tiny_scene.test).tolist()
    assert facts["size_bytes"] == (compressed / "model.tflite").stat().st_size < facts["size_bytes_original"] / 2
    assert facts["int8_mac_share"] == read_json(compressed / "audit.json")["int8_mac_share"] == 1
    assert facts["conv3d_float_share"] == read_json(trained / "model.json")["conv3d_mac_share"]


@pytest.mark.slow
def test_quantizing_again_writes_the_same_bytes(
    compressed: Path, trained: Path, scene_path: Path, tmp_path: Path
) -> None:
    build("ptq_int8", PtqInt8(representative=50), trained, scene_path, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {
        "model.tflite",
        "audit.json",
        "compression.json",
        "margins.npz",
    }
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (compressed / path.name).read_bytes(), path.name


@pytest.mark.slow
def test_what_is_searched_beside_keras_is_compared_with_keras(trained: Path, scene_path: Path, tmp_path: Path) -> None:
    build("tflite_float", TfliteFloat(original_runtime="tensorflow"), trained, scene_path, tmp_path)
    facts = read_json(tmp_path / "compression.json")
    assert facts["accuracy_original"] == read_json(trained / "model.json")["keras_accuracy"]
    assert facts["settings"]["original_runtime"] == "tensorflow"
    assert facts["flips"] == 0


def copy_with_twin(trained: Path, folder: Path, twin: keras.Model) -> Path:
    shutil.copytree(trained, folder)
    save(twin, folder / "twin.keras")
    return folder


def test_a_network_left_in_float_is_refused_by_its_operations(trained: Path, scene_path: Path, tmp_path: Path) -> None:
    shutil.copytree(trained, tmp_path / "model")
    shutil.copy(trained / "model.keras", tmp_path / "model" / "twin.keras")
    with pytest.raises(QuantriftError, match=r"min_int8_mac_share is 95 %; not in 8 bits: 3 x CONV_3D on FLOAT32"):
        build("ptq_int8", PtqInt8(representative=20), tmp_path / "model", scene_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_broken_network_is_refused_and_leaves_nothing(
    trained: Path, scene_path: Path, hybridsn_settings: HybridSN, tmp_path: Path
) -> None:
    keras.utils.set_random_seed(0)
    untrained = hybridsn.twin(hybridsn.build(hybridsn_settings, (9, 9, 13), 3))
    model = copy_with_twin(trained, tmp_path / "model", untrained)
    with pytest.raises(QuantriftError, match=r"test accuracy falls from .* max_accuracy_loss is 5 %"):
        build("ptq_int8", PtqInt8(representative=20), model, scene_path, tmp_path / "out")
    assert not list((tmp_path / "out").iterdir())


def test_more_representative_inputs_than_training_inputs_are_refused(
    trained: Path, scene_path: Path, tmp_path: Path
) -> None:
    with pytest.raises(QuantriftError, match=r"representative is 200, but tiny has only 100 training inputs"):
        build("ptq_int8", PtqInt8(), trained, scene_path, tmp_path / "out")


def test_a_damaged_network_is_refused(trained: Path, scene_path: Path, tmp_path: Path) -> None:
    shutil.copytree(trained, tmp_path / "model")
    content = (trained / "twin.keras").read_bytes()
    (tmp_path / "model" / "twin.keras").write_bytes(content[: len(content) // 2])
    with pytest.raises(QuantriftError, match=r"twin\.keras: not a complete Keras file .*; save the network again"):
        build("ptq_int8", PtqInt8(representative=20), tmp_path / "model", scene_path, tmp_path / "out")


def test_the_output_is_logits_not_probabilities(compressed: Path, tiny_scene: ScenePatches) -> None:
    # One 8-bit grid for all logits; probabilities would waste half of it on values near 0 and 1.
    outputs = LiteRT(compressed / "model.tflite")(tiny_scene.take(tiny_scene.test))
    assert 20 < len(np.unique(outputs)) <= 256
    assert outputs.min() < 0
