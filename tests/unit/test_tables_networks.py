"""The tables of networks and of compressed networks."""

import json
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pytest

from quantrift.config.datasets import EmbeddedDigits, SimulatedScene
from quantrift.config.targets import SubjectTable
from quantrift.tables import compression, models

DATASETS = {
    "sim_pavia": SimulatedScene(
        kind="simulated_scene", title="Simulated city", published_as="pavia_university", class_names=["soil"], bands=16
    ),
    "digits": EmbeddedDigits(kind="embedded_digits", title="Digits", class_names=["0"]),
}
PUBLISHED = Path(__file__).parents[2] / "workflow" / "published" / "diverget_table2.csv"
MODEL = {"accuracy": 0.9712, "parameters": 5122176, "macs": 248152192}
BLOCKS = {"accuracy": 0.8125, "train_inputs": 1347, "test_inputs": 752, "dropped_inputs": 829}
COMPRESSION = {
    "method": "ptq_int8",
    "int8_mac_share": 0.9987,
    "conv3d_float_share": 0.59,
    "size_bytes": 1300000,
    "size_bytes_original": 5100000,
    "accuracy": 0.97,
    "accuracy_original": 0.9712,
    "flips": 7,
}


def stored(folder: Path, name: str, content: Mapping[str, object]) -> Path:
    """A JSON file."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return path


def test_networks_stand_beside_published_accuracies_with_times_apart(tmp_path: Path) -> None:
    files = {}
    for dataset, model in (("sim_pavia", "hybridsn"), ("digits", "lenet5")):
        files[dataset, model] = stored(tmp_path / dataset / model, "model.json", MODEL)
        stored(tmp_path / dataset / model, "model.timing.json", {"train_seconds": 12.5})
    target = SubjectTable(kind="models", title="Networks")
    models.make(target, files, {}, DATASETS, [PUBLISHED], tmp_path / "models", scale="demo", provenance={})
    table = pd.read_csv(tmp_path / "models.csv")
    rates = ["accuracy", "accuracy_blocks", "published_accuracy"]
    assert table.columns.tolist() == ["dataset", "model", "parameters", "macs", *rates, "scale"]
    assert table["published_accuracy"].fillna(-1).tolist() == [0.9998, -1]
    assert table["accuracy_blocks"].isna().all()
    assert table["parameters"].tolist() == [5122176] * 2
    assert pd.read_csv(tmp_path / "models.timing.csv")["train_seconds"].tolist() == [12.5] * 2
    text = (tmp_path / "models.md").read_text()
    assert "| Simulated city | hybridsn | 5,122,176 | 248,152,192 | 97.12 |  | 99.98 |" in text
    assert "Scale: demo" in text


def test_accuracies_under_blocks_stand_beside_the_networks_that_have_them(tmp_path: Path) -> None:
    files, blocks = {}, {}
    for dataset, model in (("sim_pavia", "hybridsn"), ("digits", "lenet5")):
        files[dataset, model] = stored(tmp_path / dataset / model, "model.json", MODEL)
        stored(tmp_path / dataset / model, "model.timing.json", {"train_seconds": 12.5})
    folder = tmp_path / "sim_pavia" / "hybridsn" / "blocks"
    blocks["sim_pavia", "hybridsn"] = stored(folder, "blocks.json", BLOCKS)
    stored(folder, "blocks.timing.json", {"blocks_seconds": 7.5})
    target = SubjectTable(kind="models", title="Networks")
    models.make(target, files, blocks, DATASETS, [], tmp_path / "models", scale="demo", provenance={})
    table = pd.read_csv(tmp_path / "models.csv")
    assert table["accuracy"].tolist() == [0.9712] * 2
    assert table["accuracy_blocks"].fillna(-1).tolist() == [0.8125, -1]
    assert pd.read_csv(tmp_path / "models.timing.csv")["blocks_seconds"].fillna(-1).tolist() == [7.5, -1]
    text = (tmp_path / "models.md").read_text()
    assert "| 97.12 | 81.25 |  |" in text
    assert "dropped in the split by blocks: Simulated city, hybridsn: 1,347 / 752 / 829." in text
    assert "blocks.json" in (tmp_path / "models.provenance.json").read_text()


def test_compressed_networks_are_described_by_their_audit(tmp_path: Path) -> None:
    file = stored(tmp_path, "compression.json", COMPRESSION)
    target = SubjectTable(kind="compression", title="Compression")
    key = ("sim_pavia", "hybridsn", "ptq_int8")
    compression.make(target, {key: file}, DATASETS, tmp_path / "compression", scale="demo", provenance={})
    [row] = pd.read_csv(tmp_path / "compression.csv").to_dict("records")
    assert row == {"dataset": "sim_pavia", "model": "hybridsn", **COMPRESSION, "scale": "demo"}
    assert not (tmp_path / "compression.timing.csv").exists()
    assert (
        "| Simulated city | hybridsn | ptq_int8 | 99.87 | 59.00 | 1,300,000 |"
        in (tmp_path / "compression.md").read_text()
    )


def test_a_missing_fact_is_an_error_not_an_empty_cell(tmp_path: Path) -> None:
    file = stored(tmp_path, "compression.json", {"method": "ptq_int8"})
    with pytest.raises(KeyError, match="int8_mac_share"):
        compression.make(
            SubjectTable(kind="compression", title="Compression"),
            {("sim_pavia", "hybridsn", "ptq_int8"): file},
            DATASETS,
            tmp_path / "compression",
            scale="demo",
            provenance={},
        )
