"""The tables of networks and of compressed networks."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.factories import datasets, targets
from tests.factories.places import PUBLISHED

DATASETS = {
    "sim_pavia": datasets.scene("pavia_university", "Simulated city"),
    "digits": datasets.digits(),
}
PAPERS = PUBLISHED / "diverget_table2.csv"
TRIGGERFINDER = PAPERS.with_name("triggerfinder_table1.csv")
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


def models(folder: Path, networks: Networks, known: Mapping[str, Any] = DATASETS, **stated: Any) -> Path:
    """The table of networks; ``blocks`` and ``published`` are files."""
    files = {"networks": networks, "blocks": stated.pop("blocks", {})}
    given = targets.given(files, known, published=stated.pop("published", [PAPERS]))
    return targets.table(folder, given, kind="models", **stated)


def compressions(folder: Path, compressed: Mapping[Any, Path], known: Mapping[str, Any], **stated: Any) -> Path:
    """The table of compressed networks."""
    given = targets.given({"compressed": compressed}, known, published=stated.pop("published", []))
    return targets.table(folder, given, kind="compression", **stated)


def test_networks_stand_beside_published_numbers_with_times_apart(tmp_path: Path, networks: Networks) -> None:
    stem = models(tmp_path, networks)
    table = pd.read_csv(stem.with_suffix(".csv"))
    rates = ["accuracy", "accuracy_blocks", "published_accuracy"]
    sizes = ["train_inputs", "validation_inputs", "test_inputs"]
    published = ["published_train", "published_validation", "published_test"]
    assert table.columns.tolist() == ["dataset", "model", "parameters", "macs", *rates, *sizes, *published, "scale"]
    assert table["published_accuracy"].fillna(-1).tolist() == [0.9998, -1]
    assert table[sizes].to_numpy().tolist() == [[1229, 0, 2867]] * 2
    assert table[published].fillna(-1).to_numpy().tolist() == [[12832, -1, 29944], [-1, -1, -1]]
    assert table["accuracy_blocks"].isna().all()
    assert table["parameters"].tolist() == [5122176] * 2
    assert pd.read_csv(stem.with_suffix(".timing.csv"))["train_seconds"].tolist() == [12.5] * 2
    text = targets.markdown(stem)
    assert "| Simulated city | hybridsn | 97.12 | 99.98 | 1 229 |" in text
    assert "| 1 229 | 12 832 | 0 | 2 867 | 29 944 |" in text
    assert "Scale: demo" in text


def test_networks_that_only_the_paper_has_follow_on_the_datasets_shown_where_wanted(
    tmp_path: Path, networks: Networks
) -> None:
    stem = models(tmp_path, networks, published_rows=True)
    names = pd.read_csv(stem.with_suffix(".csv"))[["dataset", "model"]].to_numpy().tolist()
    assert names == [["sim_pavia", "hybridsn"], ["digits", "lenet5"], ["pavia_university", "ssrn"]]
    own = {("mine", model): path for (_, model), path in networks.items()}
    mine = {"mine": DATASETS["digits"]}
    stem = models(tmp_path, own, mine, published_rows=True)
    assert pd.read_csv(stem.with_suffix(".csv"))["dataset"].unique().tolist() == ["mine"]


def test_networks_that_only_the_paper_has_follow_on_all_datasets_where_asked_for_without_values_of_ours(
    tmp_path: Path, networks: Networks
) -> None:
    stem = models(tmp_path, networks, published_rows="all")
    table = pd.read_csv(stem.with_suffix(".csv"))
    names = table[["dataset", "model"]].to_numpy().tolist()
    assert names[:2] == [["sim_pavia", "hybridsn"], ["digits", "lenet5"]]
    assert names[2:] == [["pavia_university", "ssrn"], ["salinas", "ssrn"], ["salinas", "hybridsn"]]
    alone = table[2:]
    ours = ["parameters", "macs", "accuracy", "accuracy_blocks", "train_inputs", "validation_inputs", "test_inputs"]
    assert alone[[*ours, "scale"]].isna().all().all()
    assert alone["published_train"].tolist() == [4281, 5418, 16238]
    assert len(pd.read_csv(stem.with_suffix(".timing.csv"))) == 2


def test_numbers_may_come_from_several_papers(tmp_path: Path, networks: Networks) -> None:
    other = tmp_path / "other.csv"
    other.write_text("dataset,model,accuracy\ndigits,lenet5,0.9913\n")
    stem = models(tmp_path, networks, published=[PAPERS, other])
    assert pd.read_csv(stem.with_suffix(".csv"))["published_accuracy"].tolist() == [0.9998, 0.9913]
    provenance = stem.with_suffix(".provenance.json").read_text()
    assert "published/other.csv" in provenance
    assert "published/diverget_table2.csv" in provenance


def test_accuracies_under_blocks_stand_beside_the_networks_that_have_them(tmp_path: Path, networks: Networks) -> None:
    blocks = {}
    folder = tmp_path / "sim_pavia" / "hybridsn" / "blocks"
    blocks["sim_pavia", "hybridsn"] = stored(folder, "blocks.json", BLOCKS)
    stored(folder, "blocks.timing.json", {"blocks_seconds": 7.5})
    stem = models(tmp_path, networks, blocks=blocks, published=[])
    table = pd.read_csv(stem.with_suffix(".csv"))
    assert table["accuracy"].tolist() == [0.9712] * 2
    assert table["accuracy_blocks"].fillna(-1).tolist() == [0.8125, -1]
    assert pd.read_csv(stem.with_suffix(".timing.csv"))["blocks_seconds"].fillna(-1).tolist() == [7.5, -1]
    text = targets.markdown(stem)
    assert "248 152 192 | 81.25 |" in text
    assert "dropped in the split by blocks: Simulated city, hybridsn: 1,347 / 752 / 829." in text
    assert "blocks.json" in stem.with_suffix(".provenance.json").read_text()


def test_compressed_networks_are_described_by_their_audit(tmp_path: Path) -> None:
    file = stored(tmp_path, "compression.json", COMPRESSION)
    stem = compressions(tmp_path, {("sim_pavia", "hybridsn", "ptq_int8"): file}, DATASETS)
    table = pd.read_csv(stem.with_suffix(".csv"))
    published = ["published_accuracy", "published_accuracy_original", "published_taken_over"]
    assert table[published].isna().all().all()
    [row] = table.drop(columns=published).to_dict("records")
    assert row == {"dataset": "sim_pavia", "model": "hybridsn", **COMPRESSION, "scale": "demo"}
    assert not stem.with_suffix(".timing.csv").exists()
    assert "| Simulated city | hybridsn | ptq_int8 | 97.00 | 97.12 | 99.87 | 59.00 | 1.3 MB |" in targets.markdown(stem)


def test_compressed_networks_stand_beside_published_accuracies_and_the_other_pairs_follow(tmp_path: Path) -> None:
    file = stored(tmp_path, "compression.json", COMPRESSION)
    digits = datasets.digits("mnist")
    compressed = {("digits", "lenet5", "ptq_int8"): file, ("digits", "cnn", "ptq_int8"): file}
    stem = compressions(tmp_path, compressed, {"digits": digits}, published=[TRIGGERFINDER], published_rows=True)
    table = pd.read_csv(stem.with_suffix(".csv"))
    ours, alone = table[:2], table[2:]
    assert ours["published_accuracy"].fillna(-1).tolist() == [0.9881, -1]
    assert ours["published_accuracy_original"].fillna(-1).tolist() == [0.9881, -1]
    assert ours["published_taken_over"].fillna(-1).tolist() == [1, -1]
    assert alone.set_index(["model", "method"])["published_taken_over"].to_dict() == {
        (model, method): float(method == "ptq_int8")
        for model, method in zip(alone["model"], alone["method"], strict=True)
    }
    assert "| yes |" in targets.markdown(stem)
    # The LeNet-5 of DiffChaser stands beside ours; all other pairs of the paper on MNIST were not run.
    assert alone["dataset"].tolist() == ["mnist"] * 7
    assert alone[[*set(COMPRESSION) - {"method"}, "scale"]].isna().all().all()
    assert alone[["published_accuracy", "published_accuracy_original"]].notna().all().all()
    assert set(alone["method"]) == {"ptq_int8", "linear_8bit", "prune"}
    stem = compressions(tmp_path, compressed, {"digits": digits}, published=[TRIGGERFINDER], published_rows="all")
    assert pd.read_csv(stem.with_suffix(".csv"))["dataset"][2:].value_counts().to_dict() == {"cifar10": 10, "mnist": 7}
    assert "published/triggerfinder_table1.csv" in stem.with_suffix(".provenance.json").read_text()


def test_a_missing_fact_is_an_error_not_an_empty_cell(tmp_path: Path) -> None:
    file = stored(tmp_path, "compression.json", {"method": "ptq_int8"})
    with pytest.raises(KeyError, match="int8_mac_share"):
        compressions(tmp_path, {("sim_pavia", "hybridsn", "ptq_int8"): file}, DATASETS)
