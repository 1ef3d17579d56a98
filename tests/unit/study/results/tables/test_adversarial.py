"""Tables of repairs and of adversarial samples: shares are quotients, means are of rows, cells of nothing are empty."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.factories import datasets, targets
from tests.factories.places import PUBLISHED

from quantrift.core.base.files import write_json
from quantrift.study.compression.adversarial_labels import Verdicts

PAPERS = PUBLISHED / "triggerfinder_adversarial.csv"
DATASETS = {"mine": datasets.scene("mnist", "Mine (simulated)", "ab")}
Side = dict[str, Any]


@pytest.fixture
def outcome(tmp_path: Path) -> Callable[..., Path]:
    """Writes an outcome of rule ``repair_model`` with the given pairs of the other half after repair and control."""

    def written(name: str, repaired: list[list[int]], control: list[list[int]], learned: int = 8) -> Path:
        def side(judged: list[list[int]], accuracy: float, flips: int) -> Side:
            return {"accuracy": accuracy, "flips": flips, "learned": learned // 2, "judged": judged}

        before = side([[found, 0] for found, _ in repaired], 0.9, 5)
        facts: dict[str, Any] = {"learned_inputs": 4, "learned_dii": learned, "test_inputs": 100, "before": before}
        # Each seed input is a cluster of its own.
        facts["judged_seeds"] = [[number, number] for number in range(len(repaired))]
        facts |= {"repaired": side(repaired, 0.88, 7), "control": side(control, 0.9, 5)}
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(facts))
        return path

    return written


def table_of(file: Path, folder: Path) -> pd.DataFrame:
    given = targets.given(
        {"repaired": {("mine", "net", "prune", "tool", "rules"): file}}, DATASETS, titles={"tool": "Tool"}
    )
    return pd.read_csv(targets.table(folder, given, kind="repair", **{"from": ["x"]}).with_suffix(".csv"))


def test_a_repair_is_a_share_of_the_other_half_with_its_control(outcome: Callable[..., Path], tmp_path: Path) -> None:
    file = outcome("one", [[4, 3], [2, 0], [2, 2], [2, 1]], [[4, 0], [2, 0], [2, 0], [2, 0]])
    [row] = table_of(file, tmp_path).to_dict("records")
    assert (row["judged_inputs"], row["judged_dii"], row["n_repaired"]) == (4, 10, 6)
    assert row["repaired_share"] == pytest.approx(0.6)
    assert 0 <= row["repaired_share_low"] < 0.6 < row["repaired_share_high"] <= 1
    # Wilson for none of four seed inputs, where resampling has nothing to draw.
    assert (row["control_share"], row["control_share_low"]) == (0, 0)
    assert row["control_share_high"] == pytest.approx(0.489891)
    assert row["learned_share"] == pytest.approx(0.5)
    assert (row["accuracy"], row["accuracy_repaired"], row["flips_repaired"]) == (0.9, 0.88, 7)
    text = targets.markdown(tmp_path / "tables" / "repair")
    assert "| Mine (simulated) | net | prune | Tool | 4 | 8 | 50.00 | 4 | 10 | 6 | 60.00 [" in text
    assert "| 0.00 [0.00, 48.99] | 100 | 90.00 | 88.00 | 90.00 | 5 | 7 | 5 |" in text
    assert "; 10 of the other half are judged." in text


def test_where_nothing_was_found_shares_are_empty(outcome: Callable[..., Path], tmp_path: Path) -> None:
    table = table_of(outcome("none", [], [], learned=0), tmp_path)
    empty = ["learned_share", "repaired_share", "repaired_share_low", "control_share", "control_share_high"]
    assert table[empty].isna().all(axis=None)
    assert table["judged_dii"].tolist() == [0]


@pytest.fixture
def verdicts(tmp_path: Path) -> dict[tuple[str, str, str, str], Path]:
    found = {}
    for attack, counted in (("fgsm", Verdicts(1000, 3, 600, 20, 15, 18)), ("cw", Verdicts(1000, 3, 0, 1, 0, 0))):
        found["mine", "net", "ptq_int8", attack] = tmp_path / f"{attack}.json"
        write_json(tmp_path / f"{attack}.json", asdict(counted))
    return found


def test_samples_have_a_row_each_and_the_paper_stands_beside_the_mean(
    verdicts: dict[tuple[str, str, str, str], Path], tmp_path: Path
) -> None:
    given = targets.given({"verdicts": verdicts}, DATASETS, published=[PAPERS])
    stem = targets.table(tmp_path, given, kind="adversarial", attacks=["fgsm", "cw"])
    table = pd.read_csv(stem.with_suffix(".csv"))
    assert table["attack"].fillna("").tolist() == ["fgsm", "cw", ""]
    assert table["n_differing"].tolist() == [20, 1, 10.5]
    assert table["differing_share"].tolist() == pytest.approx([0.02, 0.001, 0.0105])
    assert table["fooled_share"].tolist()[0] == pytest.approx(15 / 600)
    assert table["fooled_share"].isna().tolist() == [False, True, True]
    assert table["published_differing_share"].isna().tolist() == [True, True, False]
    assert table["published_differing_share"].iloc[2] * 10_000 == pytest.approx(18.6)
    assert table["differing_share_low"].iloc[0] < 0.02 < table["differing_share_high"].iloc[0]
    text = targets.markdown(stem)
    assert "| Mine (simulated) |  |  |  | 1.05 | 0.19 |  |  |  | 10.5 |" in text
    assert "| Differing share % | published Differing share % | Inputs attacked |" in text
    assert "A row without a network is the mean of all rows of its dataset." in text
