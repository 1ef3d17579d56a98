"""Training under a split by spatial blocks writes its accuracy, and nothing else."""

from pathlib import Path

import numpy as np
import pytest

from quantrift.core.base.archive import write_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import read_json
from quantrift.core.base.inputs import ScenePatches
from quantrift.core.networks.training.spatially_disjoint import train_blocks
from quantrift.core.networks.training.training_run import trained
from quantrift.core.settings.networks import HybridSN
from quantrift.core.settings.scene_networks import SceneSplit
from quantrift.study.datasets.prepare import prepared


@pytest.fixture(scope="module")
def source(tiny_scene: ScenePatches, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """File of three copies of ``tiny_scene`` side by side, as ``source.build`` would write it."""
    path = tmp_path_factory.mktemp("source") / "source.npz"
    truth = 1 + np.tile(tiny_scene.labels.reshape(16, 16), (1, 3))
    arrays: dict[str, np.ndarray] = {
        "cube": np.tile(tiny_scene.scene, (1, 3, 1)),
        "ground_truth": truth,
        "class_names": np.array(tiny_scene.class_names),
        "title": np.array(tiny_scene.title),
    }
    write_arrays(path, arrays)
    return path


@pytest.fixture(scope="module")
def settings(hybridsn_settings: HybridSN) -> HybridSN:
    return hybridsn_settings.model_copy(update={"split": SceneSplit(kind="spatial_blocks", test=0.4, block=16)})


@pytest.mark.slow
def test_accuracy_sizes_and_settings_are_written_and_times_apart(
    settings: HybridSN, source: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    inputs = prepared(source, settings, settings.id, "tiny")
    train_blocks(settings, inputs, tmp_path / "one")
    assert {path.name for path in (tmp_path / "one").iterdir()} == {"blocks.json", "blocks.timing.json"}
    facts = read_json(tmp_path / "one" / "blocks.json")
    assert (facts["train_inputs"], facts["test_inputs"]) == (len(inputs.train), len(inputs.test))
    assert facts["train_inputs"] + facts["test_inputs"] + facts["dropped_inputs"] == 16 * 48
    assert facts["dropped_inputs"] > 0
    assert facts["accuracy"] > 0.8
    assert facts["settings"]["split"] == settings.split.model_dump(mode="json")
    assert list(read_json(tmp_path / "one" / "blocks.timing.json")) == ["blocks_seconds"]

    # As an interruption after the last epoch leaves it.
    trained(settings.id, settings, inputs, tmp_path / "two" / "blocks.checkpoint.npz")
    capfd.readouterr()
    train_blocks(settings, inputs, tmp_path / "two")
    assert "training hybridsn: resuming after epoch 4 of 4" in capfd.readouterr().err
    assert {path.name for path in (tmp_path / "two").iterdir()} == {"blocks.json", "blocks.timing.json"}
    assert (tmp_path / "one" / "blocks.json").read_bytes() == (tmp_path / "two" / "blocks.json").read_bytes()


def test_a_scene_that_is_one_block_is_refused(settings: HybridSN, source: Path) -> None:
    whole = settings.model_copy(update={"split": SceneSplit(kind="spatial_blocks", test=0.4, block=50)})
    with pytest.raises(QuantriftError, match="class 'low' lies in one block"):
        prepared(source, whole, whole.id, "tiny")
