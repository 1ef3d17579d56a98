"""A network with inputs standardised by channel goes through TriggerFinder and DiffChaser, from an overlay alone."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from tests.factories.places import CONFIG

from quantrift.core.base.files import sha256
from quantrift.core.base.inputs import Inputs
from quantrift.core.search.records.replaying import replay

pytestmark = pytest.mark.slow

Run = Callable[..., subprocess.CompletedProcess[str]]
CLASSES = [f"hue_{number}" for number in range(10)]
MEAN, STD = [0.52, 0.48, 0.45], [0.2, 0.25, 0.3]
TOOLS = ["triggerfinder_code", "diffchaser"]
# In a process of its own, as TensorFlow's threads can be set only once.
NETWORK = """
import json, sys
from pathlib import Path
import numpy as np
from quantrift.study.compression.build import build
from quantrift.study.compression.methods.ptq_int8 import Settings as PtqInt8
from quantrift.core.settings.networks import MLP
from quantrift.core.settings.training import Training
from quantrift.core.base.inputs import ImageStack
from quantrift.study.datasets.kinds import simulated_textures
from quantrift.study.datasets.official import Places
from quantrift.core.networks.training.trained_network import train
room, classes, mean, std = Path(sys.argv[1]), *map(json.loads, sys.argv[2:])
settings = simulated_textures.Settings(kind="simulated_textures", title="Waves", class_names=classes)
images = simulated_textures.arrays(settings, Places())
black, white = (((end - np.array(mean)) / np.array(std)).astype(np.float32) for end in (0, 1))
none = np.empty(0, np.int64)
ImageStack(
    dataset="waves", title="Waves", class_names=classes, validation=none, black=black, white=white, **images
).save(room / "inputs.npz")
recipe = Training(epochs=3, batch=64, learning_rate=0.001)
train("mlp", MLP(width=0.125, training=recipe), room / "inputs.npz", room / "net")
build("ptq_int8", PtqInt8(representative=50, max_accuracy_loss=1), room / "net", room / "inputs.npz", room / "int8")
"""


@pytest.fixture
def overlay(tmp_path: Path) -> Path:
    """What a user writes for such a pair, to be laid over the demo's configuration."""

    room = tmp_path / "files"
    room.mkdir()
    arguments = [str(room), *map(json.dumps, (CLASSES, MEAN, STD))]
    made = subprocess.run([sys.executable, "-c", NETWORK, *arguments], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr[-3000:]

    def file(name: str) -> dict[str, str]:
        return {"path": str(room / name), "sha256": sha256(room / name)}

    config: dict[str, Any] = {
        "scale": "standardised",
        "datasets": {"waves": {"kind": "simulated_textures", "title": "Waves", "class_names": CLASSES}},
        "models": {
            "my_net": {
                "source": "file",
                "original": file("net/model.keras"),
                "compressed": {"my_int8": file("int8/model.tflite")},
                "inputs": {"mean": MEAN, "std": STD},
            }
        },
        "subjects": {"mine": {"dataset": ["waves"], "model": ["my_net"], "compression": ["my_int8"]}},
        "protocols": {
            "mine": {
                "run_seeds": 2,
                "inputs": 6,
                "evaluations": 400,
                "first_attack": True,
                "correct": False,
                "agree": ["my_int8"],
                "candidates": "found",
            }
        },
        "experiments": {"mine": {"subjects": "mine", "tools": TOOLS, "protocol": "mine"}},
        "targets": {
            "mine": {"kind": "queries", "title": "Mine", "from": ["mine"], "tools": TOOLS, "baseline": TOOLS[0]}
        },
        "records": {"vectors": "all"},
        "all": ["mine"],
    }
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return path


def test_a_standardised_pair_comes_to_its_table_and_its_records_come_back_bit_for_bit(
    overlay: Path, snakemake: Run
) -> None:
    done = snakemake("--configfile", str(CONFIG / "config.yaml"), str(overlay))
    assert done.returncode == 0, done.stderr[-3000:]
    results = overlay.parent / "results" / "standardised"
    inputs = Inputs.load(results / "data" / "waves" / "my_net.npz")
    assert len(set(inputs.channel_ranges)) == 3
    table = pd.read_csv(results / "tables" / "mine.csv")
    assert set(TOOLS) <= set(table.astype(str).to_numpy().ravel())
    for tool in TOOLS:
        found = 0
        for path in (results / "search" / "waves" / "my_net" / "my_int8" / tool / "mine").glob("seeds_*.parquet"):
            if path.name.endswith(".searches.parquet"):
                assert pd.read_parquet(path)["generated"].max() <= 400
                continue
            again = replay(path)
            assert again.complete
            assert again.largest_difference == 0
            found += again.rows
        assert found > 0, tool
