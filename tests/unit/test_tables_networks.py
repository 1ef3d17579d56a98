"""The tables of networks and of compressed networks."""

import json
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pytest

from quantrift.config.datasets import EmbeddedDigits, SimulatedScene
from quantrift.config.targets import SubjectTable
from quantrift.metrics.given import Given
from quantrift.tables import compression, models

DATASETS = {
    "sim_pavia": SimulatedScene(
        kind="simulated_scene", title="Simulated city", published_as="pavia_university", class_names=["soil"], bands=16
    ),
    "digits": EmbeddedDigits(kind="embedded_digits", title="Digits", class_names=["0"]),
}
PUBLISHED = Path(__file__).parents[2] / "workflow" / "published" / "diverget_table2.csv"
TRIGGERFINDER = PUBLISHED.with_name("triggerfinder_table1.csv")
MODEL = {
    "accuracy": 0.9712,
    "parameters": 5122176,
    "macs": 248152192,
    "train_inputs": 1229,
    "validation_inputs": 0,
    "test_inputs": 2867,
}
BLOCKS = {"accuracy": 0.8125, "train_inputs": 1347, "test_inputs": 752, "dropped_inputs": 829}
COMPRESSION = {
    "method": "ptq_int8",
    "int8_mac_share": 0.9987,
    "conv3d_float_share": 0.59,
    "size_bytes": 1300000,
    "size_bytes_original": 5100000,
    "weight_bits": 10000000,
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


@pytest.fixture
def networks(tmp_path: Path) -> dict[tuple[str, str], Path]:
    """Two networks with their times."""
    files = {}
    for dataset, model in (("sim_pavia", "hybridsn"), ("digits", "lenet5")):
        files[dataset, model] = stored(tmp_path / dataset / model, "model.json", MODEL)
        stored(tmp_path / dataset / model, "model.timing.json", {"train_seconds": 12.5})
    return files


Networks = Mapping[tuple[str, str], Path]


def test_networks_stand_beside_published_numbers_with_times_apart(tmp_path: Path, networks: Networks) -> None:
    target = SubjectTable(kind="models", title="Networks")
    models.make(target, networks, {}, Given([], DATASETS, "demo", [PUBLISHED]), tmp_path / "models")
    table = pd.read_csv(tmp_path / "models.csv")
    rates = ["accuracy", "accuracy_blocks", "published_accuracy"]
    sizes = ["train_inputs", "validation_inputs", "test_inputs"]
    published = ["published_train", "published_validation", "published_test"]
    assert table.columns.tolist() == ["dataset", "model", "parameters", "macs", *rates, *sizes, *published, "scale"]
    assert table["published_accuracy"].fillna(-1).tolist() == [0.9998, -1]
    assert table[sizes].to_numpy().tolist() == [[1229, 0, 2867]] * 2
    assert table[published].fillna(-1).to_numpy().tolist() == [[12832, -1, 29944], [-1, -1, -1]]
    assert table["accuracy_blocks"].isna().all()
    assert table["parameters"].tolist() == [5122176] * 2
    assert pd.read_csv(tmp_path / "models.timing.csv")["train_seconds"].tolist() == [12.5] * 2
    text = (tmp_path / "models.md").read_text()
    assert "| Simulated city | hybridsn | 5,122,176 | 248,152,192 | 97.12 |  | 99.98 | 1,229 | 0 | 2,867 |" in text
    assert "| 12,832 |  | 29,944 |" in text
    assert "Scale: demo" in text


def test_networks_that_only_the_paper_has_follow_on_the_datasets_shown_where_wanted(
    tmp_path: Path, networks: Networks
) -> None:
    target = SubjectTable(kind="models", title="Networks", published_rows=True)
    models.make(target, networks, {}, Given([], DATASETS, "demo", [PUBLISHED]), tmp_path / "models")
    names = pd.read_csv(tmp_path / "models.csv")[["dataset", "model"]].to_numpy().tolist()
    assert names == [["sim_pavia", "hybridsn"], ["digits", "lenet5"], ["pavia_university", "ssrn"]]
    own = {("mine", model): path for (_, model), path in networks.items()}
    mine = {"mine": DATASETS["digits"]}
    models.make(target, own, {}, Given([], mine, "demo", [PUBLISHED]), tmp_path / "own")
    assert pd.read_csv(tmp_path / "own.csv")["dataset"].unique().tolist() == ["mine"]


def test_networks_that_only_the_paper_has_follow_on_all_datasets_where_asked_for_without_values_of_ours(
    tmp_path: Path, networks: Networks
) -> None:
    target = SubjectTable(kind="models", title="Networks", published_rows="all")
    models.make(target, networks, {}, Given([], DATASETS, "demo", [PUBLISHED]), tmp_path / "models")
    table = pd.read_csv(tmp_path / "models.csv")
    names = table[["dataset", "model"]].to_numpy().tolist()
    assert names[:2] == [["sim_pavia", "hybridsn"], ["digits", "lenet5"]]
    assert names[2:] == [["pavia_university", "ssrn"], ["salinas", "ssrn"], ["salinas", "hybridsn"]]
    alone = table[2:]
    ours = ["parameters", "macs", "accuracy", "accuracy_blocks", "train_inputs", "validation_inputs", "test_inputs"]
    assert alone[[*ours, "scale"]].isna().all().all()
    assert alone["published_train"].tolist() == [4281, 5418, 16238]
    assert len(pd.read_csv(tmp_path / "models.timing.csv")) == 2


def test_numbers_may_come_from_several_papers(tmp_path: Path, networks: Networks) -> None:
    other = tmp_path / "other.csv"
    other.write_text("dataset,model,accuracy\ndigits,lenet5,0.9913\n")
    target = SubjectTable(kind="models", title="Networks")
    models.make(target, networks, {}, Given([], DATASETS, "demo", [PUBLISHED, other]), tmp_path / "models")
    assert pd.read_csv(tmp_path / "models.csv")["published_accuracy"].tolist() == [0.9998, 0.9913]
    provenance = (tmp_path / "models.provenance.json").read_text()
    assert "published/other.csv" in provenance
    assert "published/diverget_table2.csv" in provenance


def test_accuracies_under_blocks_stand_beside_the_networks_that_have_them(tmp_path: Path, networks: Networks) -> None:
    blocks = {}
    folder = tmp_path / "sim_pavia" / "hybridsn" / "blocks"
    blocks["sim_pavia", "hybridsn"] = stored(folder, "blocks.json", BLOCKS)
    stored(folder, "blocks.timing.json", {"blocks_seconds": 7.5})
    target = SubjectTable(kind="models", title="Networks")
    models.make(target, networks, blocks, Given([], DATASETS, "demo"), tmp_path / "models")
    table = pd.read_csv(tmp_path / "models.csv")
    assert table["accuracy"].tolist() == [0.9712] * 2
    assert table["accuracy_blocks"].fillna(-1).tolist() == [0.8125, -1]
    assert pd.read_csv(tmp_path / "models.timing.csv")["blocks_seconds"].fillna(-1).tolist() == [7.5, -1]
    text = (tmp_path / "models.md").read_text()
    assert "| 97.12 | 81.25 |  | 1,229 |" in text
    assert "dropped in the split by blocks: Simulated city, hybridsn: 1,347 / 752 / 829." in text
    assert "blocks.json" in (tmp_path / "models.provenance.json").read_text()


def test_compressed_networks_are_described_by_their_audit(tmp_path: Path) -> None:
    file = stored(tmp_path, "compression.json", COMPRESSION)
    target = SubjectTable(kind="compression", title="Compression")
    key = ("sim_pavia", "hybridsn", "ptq_int8")
    compression.make(target, {key: file}, Given([], DATASETS, "demo"), tmp_path / "compression")
    table = pd.read_csv(tmp_path / "compression.csv")
    assert table[["published_accuracy", "published_accuracy_original"]].isna().all().all()
    [row] = table.drop(columns=["published_accuracy", "published_accuracy_original"]).to_dict("records")
    assert row == {"dataset": "sim_pavia", "model": "hybridsn", **COMPRESSION, "scale": "demo"}
    assert not (tmp_path / "compression.timing.csv").exists()
    assert (
        "| Simulated city | hybridsn | ptq_int8 | 99.87 | 59.00 | 1,300,000 |"
        in (tmp_path / "compression.md").read_text()
    )


def test_compressed_networks_stand_beside_published_accuracies_and_the_other_pairs_follow(tmp_path: Path) -> None:
    file = stored(tmp_path, "compression.json", COMPRESSION)
    digits = EmbeddedDigits(kind="embedded_digits", title="Digits", published_as="mnist", class_names=["0"])
    compressed = {("digits", "lenet5", "ptq_int8"): file, ("digits", "cnn", "ptq_int8"): file}
    target = SubjectTable(kind="compression", title="Compression", published_rows=True)
    stem = tmp_path / "pairs"
    compression.make(target, compressed, Given([], {"digits": digits}, "demo", [TRIGGERFINDER]), stem)
    table = pd.read_csv(tmp_path / "pairs.csv")
    ours, alone = table[:2], table[2:]
    assert ours["published_accuracy"].fillna(-1).tolist() == [0.9881, -1]
    assert ours["published_accuracy_original"].fillna(-1).tolist() == [0.9881, -1]
    # The LeNet-5 of DiffChaser stands beside ours; all other pairs of the paper on MNIST were not run.
    assert alone["dataset"].tolist() == ["mnist"] * 7
    assert alone[[*set(COMPRESSION) - {"method"}, "scale"]].isna().all().all()
    assert alone[["published_accuracy", "published_accuracy_original"]].notna().all().all()
    assert set(alone["method"]) == {"ptq_int8", "linear_8bit", "prune"}
    everything = SubjectTable(kind="compression", title="Compression", published_rows="all")
    compression.make(everything, compressed, Given([], {"digits": digits}, "demo", [TRIGGERFINDER]), tmp_path / "all")
    assert pd.read_csv(tmp_path / "all.csv")["dataset"][2:].value_counts().to_dict() == {"cifar10": 10, "mnist": 7}
    assert "published/triggerfinder_table1.csv" in (tmp_path / "pairs.provenance.json").read_text()


def test_a_missing_fact_is_an_error_not_an_empty_cell(tmp_path: Path) -> None:
    file = stored(tmp_path, "compression.json", {"method": "ptq_int8"})
    with pytest.raises(KeyError, match="int8_mac_share"):
        compression.make(
            SubjectTable(kind="compression", title="Compression"),
            {("sim_pavia", "hybridsn", "ptq_int8"): file},
            Given([], DATASETS, "demo"),
            tmp_path / "compression",
        )
