"""The table of divergence takes every number from its file, and leaves cells without a file empty."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.factories import searches, targets
from tests.factories.searches import Row, reached, search

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.paths import Paths
from quantrift.core.networks.training.accuracy_under_attack import Outcome, write
from quantrift.core.statistics import run_seeds
from quantrift.core.statistics.run_seeds import KEYS
from quantrift.study.results.targets.given_files import Given

BITS = {"two": 2.0, "eight": None}
Keyed = dict[str, dict[tuple[str, ...], Path]]


def outcomes(correct: int) -> list[tuple[str, int, Outcome]]:
    """Of three attacks at two strengths: fewer are correct under the second, and more unmoved under FGSM."""
    return [
        (
            "net",
            0,
            {
                "attack": attack,
                "strength": strength,
                "correct": right,
                "inputs": 100,
                "unmoved": 100 if strength == 0 else still,
            },
        )
        for attack, still in (("fgsm", 30), ("fgsm_margin", 0), ("pgd", 30))
        for strength, right in ((0.0, correct), (0.1, correct - 40))
    ]


@pytest.fixture
def files(tmp_path: Path) -> Keyed:
    """One network with two compressions, of which one tool searched both, and another one the first.

    Three run seeds of three inputs: of 0, 1 and 50 disagreements, the models disagreeing on the last as it is.
    """

    def searched(run_seed: int, number: int) -> Row:
        counts = reached(*((0, 0), (1, 60), (50, 10))[number])
        return search(run_seed, 3 * run_seed + number, seed_disagrees=number == 2, **counts)

    paths = Paths(tmp_path)
    original = paths.robustness("mine", "net")
    original.parent.mkdir(parents=True)
    write(outcomes(98), original)
    found: Keyed = {"compressed": {}, "attacked": {}, "metrics": {}, "searches": {}}
    for compression, bits in BITS.items():
        folder = paths.compressed("mine", "net", compression)
        folder.mkdir(parents=True)
        facts = {"test_inputs": 100, "accuracy": 0.9, "accuracy_original": 0.98, "flips": 9}
        facts |= {"mean_bits": bits} if bits else {}
        (folder / "compression.json").write_text(json.dumps(facts))
        found["compressed"]["mine", "net", compression] = folder / "compression.json"
        found["attacked"]["mine", "net", compression] = paths.robustness("mine", "net", compression)
        write(outcomes(90), paths.robustness("mine", "net", compression))
        found["attacked"]["mine", "net", ""] = original
    for compression, tool in (("two", "finder"), ("two", "other"), ("eight", "finder")):
        names = dict(zip(KEYS, ("mine", "net", compression, tool, "test"), strict=True))
        rows = [searched(seed, number) for seed in range(3) for number in range(3)]
        block = searches.write(rows, paths.searches(**names), "seeds_000-002")
        metrics = paths.metrics(**names)
        metrics.parent.mkdir(parents=True)
        run_seeds.write([block], names, metrics)
        found["metrics"][tuple(names.values())] = metrics
        found["searches"][tuple(names.values())] = block
    return found


def table(folder: Path, given: Given) -> Path:
    return targets.table(folder, given, kind="divergence", **{"from": ["x"]})


@pytest.fixture
def stem(files: Keyed, tmp_path: Path) -> Path:
    """Stem of the table."""
    return table(tmp_path, targets.given(files, {}, titles={"finder": "Finder", "two": "Two bits", "pgd": "PGD"}))


def test_a_network_has_a_row_for_each_tool_that_searched_it(stem: Path) -> None:
    rows = pd.read_csv(stem.with_suffix(".csv"))
    assert list(zip(rows["compression"], rows["tool"], strict=True)) == [
        ("two", "finder"),
        ("two", "other"),
        ("eight", "finder"),
    ]
    assert rows["mean_bits"].fillna(-1).tolist() == [2, 2, -1]
    two, other, eight = rows.to_dict("records")
    assert (two["accuracy"], two["accuracy_original"], two["flips"], two["test_inputs"]) == (0.9, 0.98, 9, 100)
    for row in (two, other):
        assert (row["run_seeds"], row["inputs"]) == (3, 3)
        assert row["sr"] == row["sr_pooled"] == pytest.approx(2 / 3)
        assert row["sr_pooled_low"] < 2 / 3 < row["sr_pooled_high"]
        # Three run seeds are too few for an interval of their median.
        assert np.isnan(row["sr_low"])
        assert row["dir"] == pytest.approx(51 / 300)
    assert eight["sr"] == two["sr"]


def test_a_network_that_no_tool_searched_has_a_row_without_rates(files: Keyed, tmp_path: Path) -> None:
    stem = table(tmp_path, targets.given(files | {"metrics": {}, "searches": {}}, {}))
    rows = pd.read_csv(stem.with_suffix(".csv"))
    assert rows["compression"].tolist() == ["two", "eight"]
    assert rows[["tool", "run_seeds", "sr"]].isna().all(axis=None)
    assert rows["accuracy"].tolist() == [0.9, 0.9]
    assert "SR %" not in targets.markdown(stem)


def test_inputs_that_differ_before_any_search_are_left_out_of_the_net_columns(stem: Path) -> None:
    row = pd.read_csv(stem.with_suffix(".csv")).iloc[0]
    assert (row["inputs_net"], row["n_success_net"]) == (6, 3)
    assert row["sr_net"] == pytest.approx(0.5)
    assert row["sr_net_low"] < 0.5 < row["sr_net_high"]
    # Successes need 60 candidates, failures are charged all 100.
    assert (row["queries_average"], row["queries_median"]) == (60, 80)


def test_accuracy_under_attack_stands_beside_the_original_s(stem: Path) -> None:
    row = pd.read_csv(stem.with_suffix(".csv")).iloc[0]
    assert (row["fgsm_0_accuracy"], row["fgsm_0.1_accuracy"]) == (0.9, 0.5)
    assert row["fgsm_0.1_accuracy_low"] < 0.5 < row["fgsm_0.1_accuracy_high"]
    assert row["fgsm_0.1_accuracy_original"] == pytest.approx(0.58)
    attacks = pd.read_csv(stem.with_name("divergence.attacks.csv"))
    assert len(attacks) == 3 * 3 * 2
    own = attacks[attacks["compression"].isna() & (attacks["strength"] == 0.1)]
    assert own["attack"].tolist() == ["fgsm", "fgsm_margin", "pgd"]
    assert own["unmoved"].tolist() == [30, 0, 30]


def test_readers_see_networks_searches_and_attacks(stem: Path) -> None:
    page = targets.markdown(stem)
    assert "| mine | net | Two bits | Finder | 2 | 100 | 98.00 | 90.00 | 9 | 66.67 |" in page
    assert "| mine | net | eight | Finder |  | 100 | 98.00 | 90.00 | 9 | 66.67 |" in page
    assert "| 66.67 [35.42, 87.94] |" in page
    assert "| mine | net | eight | other |" not in page
    assert "| mine | net | Two bits | PGD | 0.100 | 50 | 100 | 30 | 50.00 [" in page
    assert "| mine | net |  | PGD | 0.100 | 58 | 100 | 30 | 58.00 [" in page
    assert "Finder: 3 run seeds of 3 inputs" in page


def test_without_subjects_it_says_what_to_name(tmp_path: Path) -> None:
    nothing: Keyed = {"compressed": {}, "attacked": {}, "metrics": {}, "searches": {}}
    with pytest.raises(QuantriftError, match="divergence: its experiments have no subjects; name others in `from`"):
        table(tmp_path, targets.given(nothing, {}))
