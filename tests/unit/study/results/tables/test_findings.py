"""The table of findings, on metrics whose verdicts are known by hand."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError
from tests.factories import datasets, targets

from quantrift.core.base.errors import QuantriftError
from quantrift.core.statistics.found_rates import RATES
from quantrift.study.results.tables.finding_cells import spreads
from quantrift.study.results.tables.kinds.findings import Settings
from quantrift.study.results.targets.hypotheses import SpreadHypothesis

DATASETS = {
    "city": datasets.scene("pavia_university", "City"),
    "fields": datasets.scene("salinas", "Fields"),
}
LOW, HIGH = np.arange(10) / 100, np.arange(10) / 100 + 0.2
"""Of ten run seeds; every HIGH above every LOW, so each one-sided p is 1 / 1024."""


def hypothesis(larger: Any, smaller: Any, **other: Any) -> dict[str, Any]:
    """A hypothesis on the metric dir, from experiment rq2; sides that are lists are tools."""
    sides = [
        {"name": name, **({"tools": side} if isinstance(side, list) else side)}
        for name, side in (("first", larger), ("second", smaller))
    ]
    stated = {"finding": 1, "sentence": "As published.", "claim": "more", "from": ["rq2"], "metrics": ["dir"]}
    return stated | {"larger": sides[0], "smaller": sides[1]} | other


def table(
    folder: Path,
    files: Mapping[str, Sequence[Path]] | Sequence[Path],
    published: str = "",
    distances: Mapping[str, Path] | None = None,
    spreads: Mapping[str, Any] | None = None,
    **stated: Any,
) -> Any:
    """(rows, cells) of a table of hypotheses, as its CSVs have them."""
    by_experiment = files if isinstance(files, Mapping) else {"rq2": files}
    metrics = {
        (experiment, *key): path
        for experiment, own in by_experiment.items()
        for key, path in targets.of_metrics(own).items()
    }
    papers = targets.published(folder, published)
    of_vectors = {(name,): path for name, path in (distances or {}).items()}
    given = targets.given({"metrics": metrics, "distances": of_vectors}, DATASETS, published=papers)
    stem = targets.table(folder, given, kind="findings", hypotheses=stated, spreads=spreads or {})
    return pd.read_csv(f"{stem}.csv"), pd.read_csv(f"{stem}.cells.csv", keep_default_na=False, na_values=[""])


class Metrics:
    """Writes metrics files in which every rate of a run seed has the same value."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(
        self,
        tool: str,
        values: Sequence[float] | np.ndarray,
        compression: str = "ptq_int8",
        dataset: str = "city",
        model: str = "ssrn",
        protocol: str = "rq2",
        **other: Any,
    ) -> Path:
        rates = np.asarray(values, dtype=float)
        facts = {"run_seed": range(len(rates)), "inputs": 20, "inputs_shared": 0, "inputs_agreeing": 20} | other
        keys = {"dataset": dataset, "model": model, "compression": compression, "tool": tool, "protocol": protocol}
        counts = {"n_dii": np.round(rates * 5000)} | dict.fromkeys(RATES, rates)
        path = self.folder / "metrics" / dataset / model / compression / tool / f"{protocol}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        pd.DataFrame(counts | facts).assign(**keys).to_csv(path, index=False)
        return path


@pytest.fixture
def metrics(tmp_path: Path) -> Metrics:
    return Metrics(tmp_path)


def test_a_clear_difference_in_every_cell_holds(tmp_path: Path, metrics: Metrics) -> None:
    files = [metrics(tool, values, dataset=name) for name in DATASETS for tool, values in (("a", HIGH), ("b", LOW))]
    rows, cells = table(tmp_path, files, h=hypothesis(["a"], ["b"], metrics=["dir", "sr"]))
    assert (
        rows[["cells", "cells_for", "cells_against", "cells_undecided", "cells_not_run"]].to_numpy().tolist()
        == [[2, 2, 0, 0, 0]] * 2
    )
    assert rows["verdict"].tolist() == ["holds"] * 2
    assert cells["dataset"].tolist() == ["city", "fields"] * 2
    assert cells["p"].tolist() == [2.0**-10] * 4
    assert cells["p_holm"].tolist() == [4 * 2.0**-10] * 4
    assert cells["p_reverse"].tolist() == [1.0] * 4
    assert cells["a12"].tolist() == [1.0] * 4
    assert cells[["larger", "smaller"]].to_numpy()[0].tolist() == pytest.approx([0.245, 0.045])


def test_the_same_difference_the_other_way_fails_and_both_are_mixed(tmp_path: Path, metrics: Metrics) -> None:
    files = [metrics("a", LOW), metrics("b", HIGH)]
    rows, cells = table(tmp_path, files, h=hypothesis(["a"], ["b"]))
    assert rows.loc[0, ["cells_for", "cells_against", "verdict"]].tolist() == [0, 1, "fails"]
    assert cells.loc[0, ["p", "p_reverse", "verdict"]].tolist() == [1.0, 2.0**-10, "against"]
    files += [metrics("a", HIGH, model="hybridsn"), metrics("b", LOW, model="hybridsn")]
    rows, _ = table(tmp_path, files, h=hypothesis(["a"], ["b"]))
    assert rows.loc[0, ["cells_for", "cells_against", "verdict"]].tolist() == [1, 1, "mixed"]


def test_no_difference_is_undecided_and_leaves_what_holds_elsewhere_in_part(tmp_path: Path, metrics: Metrics) -> None:
    files = [metrics("a", LOW), metrics("b", LOW)]
    rows, cells = table(tmp_path, files, h=hypothesis(["a"], ["b"]))
    assert rows.loc[0, ["cells_undecided", "cells_not_run", "verdict"]].tolist() == [1, 0, "undecided"]
    assert cells.loc[0, ["p", "p_reverse", "a12"]].tolist() == [1.0, 1.0, 0.5]
    files += [metrics("a", HIGH, model="hybridsn"), metrics("b", LOW, model="hybridsn")]
    rows, _ = table(tmp_path, files, h=hypothesis(["a"], ["b"]))
    assert rows.loc[0, "verdict"] == "holds in part"


def test_a_tool_that_does_not_exist_leaves_its_cells_open(tmp_path: Path, metrics: Metrics) -> None:
    rows, cells = table(tmp_path, [metrics("a", HIGH)], h=hypothesis(["a"], []), absent=hypothesis(["a"], ["c"]))
    for verdict in rows[["cells", "cells_undecided", "cells_not_run", "verdict"]].to_numpy().tolist():
        assert verdict == [1, 1, 1, "not run"]
    assert cells["larger"].tolist() == pytest.approx([0.245] * 2)
    assert cells[["smaller", "p", "p_holm"]].isna().all(axis=None)
    assert "| not run |" in (tmp_path / "tables" / "findings.md").read_text()


def test_holm_runs_over_a_finding_once_in_each_direction(tmp_path: Path, metrics: Metrics) -> None:
    # Eight of ten pairs up by 1 ... 10 hundredths, the two smallest down.
    mixed = LOW + np.array([-1, -2, 3, 4, 5, 6, 7, 8, 9, 10]) / 100
    files = [metrics("a", HIGH), metrics("b", LOW), metrics("c", mixed)]
    rows, cells = table(tmp_path, files, h=hypothesis(["a"], ["b"]), other=hypothesis(["c"], ["b"]))
    # Negative ranks sum to 3: the empty set, {1}, {2}, {3} and {1, 2} reach it at most.
    assert cells["p"].tolist() == [1 / 1024, 5 / 1024]
    assert cells["p_holm"].tolist() == [2 / 1024, 5 / 1024]
    assert cells["p_reverse_holm"].tolist() == [1.0, 1.0]
    lines = (tmp_path / "tables" / "findings.md").read_text()
    assert "This table has 2 tests in each direction." in lines
    assert rows[["cells_for", "cells_for_unadjusted"]].to_numpy().tolist() == [[1, 1]] * 2


def test_another_finding_is_another_family(tmp_path: Path, metrics: Metrics) -> None:
    files = [metrics("a", HIGH), metrics("b", LOW)]
    _, cells = table(tmp_path, files, h=hypothesis(["a"], ["b"]), other=hypothesis(["a"], ["b"], finding=6))
    assert cells["p_holm"].tolist() == [2.0**-10] * 2


def test_controls_are_a_family_apart_from_the_hypothesis_that_they_control(tmp_path: Path, metrics: Metrics) -> None:
    files = [metrics("a", HIGH), metrics("b", LOW), metrics("c", LOW)]
    control = hypothesis(["a"], ["c"], control_of="h")
    _, cells = table(tmp_path, files, h=hypothesis(["a"], ["b"]), first=control, second=control, third=control)
    assert cells["p_holm"].tolist() == [2.0**-10, *[3 * 2.0**-10] * 3]


def test_adjustment_may_take_away_what_single_tests_say(tmp_path: Path, metrics: Metrics) -> None:
    files = [metrics(tool, values[:6]) for tool, values in (("a", HIGH), ("b", LOW))]
    every = ["n_dii", "dir", "dir_unique", "dir_valid"]
    rows, cells = table(tmp_path, files, h=hypothesis(["a"], ["b"], metrics=every))
    assert cells["p_holm"].tolist() == [4 / 64] * 4
    assert rows[["cells_for", "cells_for_unadjusted"]].to_numpy().tolist() == [[0, 1]] * 4
    assert rows["verdict"].tolist() == ["undecided"] * 4
    assert "0 of them would be significant" in (tmp_path / "tables" / "findings.md").read_text()


@pytest.mark.parametrize(("run_seeds", "shared"), [(5, 0), (10, 1)])
def test_few_run_seeds_or_shared_inputs_decide_nothing(
    tmp_path: Path, metrics: Metrics, run_seeds: int, shared: int
) -> None:
    files = [metrics(tool, values[:run_seeds], inputs_shared=shared) for tool, values in (("a", HIGH), ("b", LOW))]
    rows, cells = table(tmp_path, files, h=hypothesis(["a"], ["b"]))
    assert rows.loc[0, ["cells_undecided", "cells_not_run", "verdict"]].tolist() == [1, 0, "undecided"]
    assert pd.isna(cells.loc[0, "p"])
    assert cells.loc[0, "a12"] == 1.0


def test_tools_of_a_side_are_averaged_and_never_pooled(tmp_path: Path, metrics: Metrics) -> None:
    one, other = [0, 0, 0, 0, 0, 0.3, 0.3], [0.3, 0, 0.3, 0, 0.3, 0, 0.3]
    files = [metrics("a", one), metrics("b", other), metrics("c", np.zeros(7))]
    _, cells = table(tmp_path, files, h=hypothesis(["a", "b"], ["c"]))
    # Medians 0 and 0.3. The means of the run seeds are tested: five above 0, two equal.
    assert cells.loc[0, "larger"] == pytest.approx(0.15)
    assert cells.loc[0, "p"] == 1 / 32
    assert cells.loc[0, "larger_mean"] == pytest.approx((0.6 + 1.2) / 14)


def test_where_most_run_seeds_are_0_the_mean_stands_beside_the_median(tmp_path: Path, metrics: Metrics) -> None:
    table(tmp_path, [metrics("a", [0] * 8 + [0.1, 0.3]), metrics("b", [0] * 10)], h=hypothesis(["a"], ["b"]))
    values = targets.markdown(tmp_path / "tables" / "findings").split("## Values of the cells")[1]
    assert "| First % | First mean % | Second | Second % | Second mean % |" in values
    assert "| first | 0.00 | 4.00 | second | 0.00 | 0.00 |" in values


def qat(**other: Any) -> dict[str, Any]:
    """Quantization in training against quantization after it."""
    return hypothesis({"tools": ["a"], "compression": "qat_int8"}, {"tools": ["a"], "compression": "ptq_int8"}, **other)


def control(**larger: Any) -> dict[str, Any]:
    """The control of ``qat``."""
    second = {"tools": ["a"], "compression": "qat_control"}
    return hypothesis({"tools": ["a"], "compression": "qat_int8"} | larger, second, control_of="h")


def test_a_finding_that_its_control_shares_vanishes(tmp_path: Path, metrics: Metrics) -> None:
    files = [metrics("a", LOW), metrics("a", HIGH, "qat_int8"), metrics("a", HIGH, "qat_control")]
    rows, cells = table(tmp_path, files, h=qat(), c=control())
    assert rows["verdict"].tolist() == ["holds, vanishes against the control", "undecided"]
    assert rows["cells_vanishing"].tolist() == [1, 0]
    first = cells.loc[0]
    assert first[["compression", "other_compression", "control"]].tolist() == ["qat_int8", "ptq_int8", "vanishes"]
    files[2] = metrics("a", LOW, "qat_control")
    rows, cells = table(tmp_path, files, h=qat(), c=control())
    assert rows["verdict"].tolist() == ["holds", "holds"]
    assert cells["control"].tolist()[0] == "holds"
    rows, cells = table(tmp_path, files[:2], h=qat(), c=control())
    assert rows["verdict"].tolist() == ["holds", "not run"]
    assert cells["control"].tolist()[0] == "not run"


def test_a_compression_may_be_subtracted(tmp_path: Path, metrics: Metrics) -> None:
    files = [metrics("a", LOW), metrics("a", HIGH, "qat_int8"), metrics("a", LOW + 0.19, "qat_control")]
    less = {"tools": ["a"], "compression": "qat_int8", "minus": "qat_control"}
    _, cells = table(tmp_path, files, h=hypothesis(less, {"tools": ["a"], "compression": "ptq_int8"}))
    # 0.01 in each run seed, against 0 ... 0.09: one pair above, one equal, eight below.
    assert cells.loc[0, ["larger", "smaller"]].tolist() == pytest.approx([0.01, 0.045])
    assert cells.loc[0, "verdict"] == "against"


def test_datasets_are_compared_by_what_they_are_filed_under_and_unpaired(tmp_path: Path, metrics: Metrics) -> None:
    files = [metrics("a", HIGH[:6]), metrics("a", LOW[:7], dataset="fields")]
    sides = [{"tools": ["a"], "dataset": name} for name in ("pavia_university", "salinas")]
    rows, cells = table(tmp_path, files, h=hypothesis(*sides, paired=False))
    assert cells.loc[0, ["dataset", "other_dataset", "verdict"]].tolist() == ["city", "fields", "for"]
    # One of the 1716 ways to choose 6 of 13 ranks.
    assert cells.loc[0, "p"] == pytest.approx(1 / 1716)
    assert cells.loc[0, "run_seeds"] == 6
    assert rows.loc[0, "cells"] == 1


def test_seed_inputs_stand_for_original_test_data(tmp_path: Path, metrics: Metrics) -> None:
    # 3 of 20 inputs disagree before any search; 100 of 5000 candidates do.
    files = [metrics("random", np.full(10, 0.02), inputs_agreeing=17)]
    seeds = {"tools": ["random"], "seeds": True}
    rows, cells = table(tmp_path, files, h=hypothesis(["random"], seeds, metrics=["n_dii", "dir"]))
    assert cells["larger"].tolist() == [100, 0.02]
    assert cells["smaller"].tolist() == [3, 0.15]
    # More in number, but not more often: the paper's counts cannot tell.
    assert rows["verdict"].tolist() == ["holds", "fails"]


def test_a_side_may_come_from_an_experiment_of_its_own(tmp_path: Path, metrics: Metrics) -> None:
    files = {
        "rq2": [metrics("pso", LOW + 0.1), metrics("ga", LOW)],
        "rq2_evaluations": [metrics("ga", HIGH, protocol="rq2_evaluations")],
    }
    equal = {"tools": ["ga"], "from": ["rq2_evaluations"]}
    rows, _ = table(tmp_path, files, h=hypothesis(["pso"], ["ga"]), c=hypothesis(["pso"], equal, control_of="h"))
    assert rows["verdict"].tolist() == ["holds, vanishes against the control", "fails"]


PUBLISHED = """dataset,model,compression,a_dir,b_dir
pavia_university,ssrn,ptq_int8,0.3,0.2
salinas,ssrn,ptq_int8,0.1,0.2
salinas,ssrn,qat_int8,0.1,0.1
salinas,hybridsn,qat_int8,0.1,
,,,0.9,0.1
"""
COLUMNS = {"metric": "dir", "file": "published.csv", "larger": {"column": "a_dir"}, "smaller": {"column": "b_dir"}}


def test_published_differences_count_by_their_sign_and_means_of_everything_not_at_all(
    tmp_path: Path, metrics: Metrics
) -> None:
    files = [metrics("a", HIGH), metrics("b", LOW)]
    several = hypothesis(["a"], ["b"], published=[COLUMNS], metrics=["dir", "sr"])
    rows, _ = table(tmp_path, files, PUBLISHED, h=several)
    columns = ["published_cells_for", "published_cells_against", "published_cells_equal"]
    assert rows.loc[0, columns].tolist() == [1, 1, 1]
    assert rows.loc[1, columns].isna().all()
    papers = pd.read_csv(tmp_path / "tables" / "findings.published.csv")
    assert papers["verdict"].tolist() == ["for", "against", "equal"]
    assert papers[["first_rate", "second_rate"]].to_numpy().tolist() == [[0.3, 0.2], [0.1, 0.2], [0.1, 0.1]]
    text = targets.markdown(tmp_path / "tables" / "findings")
    assert "| more | DiR | pavia_university | ssrn | ptq_int8 |" in text.split("## Published numbers")[1]


def test_counts_and_distances_are_not_shown_in_percent(tmp_path: Path, metrics: Metrics) -> None:
    table(tmp_path, [metrics("a", HIGH), metrics("b", LOW)], h=hypothesis(["a"], ["b"], metrics=["n_dii"]))
    values = targets.markdown(tmp_path / "tables" / "findings").split("## Values of the cells")[1]
    assert "| number of DIIs | City (simulated) | ssrn | ptq_int8 | City | ptq_int8 | first |" in values
    # Medians and means over run seeds, of 5000 candidates.
    assert "| first | 1 225 | 1 225 | second | 225 | 225 |" in values


def test_published_rows_are_compared_with_each_other_and_counts_with_their_totals(
    tmp_path: Path, metrics: Metrics
) -> None:
    files = [metrics("a", LOW), metrics("a", HIGH, "qat_int8")]
    same = COLUMNS | {"smaller": {"column": "a_dir", "of": 2}}
    rows, _ = table(tmp_path, files, PUBLISHED, h=qat(published=[same]))
    # Salinas on SSRN alone has both rows: 0.1 against 0.1 / 2.
    assert rows.loc[0, ["published_cells_for", "published_cells_against", "published_cells_equal"]].tolist() == [
        1,
        0,
        0,
    ]


def test_a_column_that_the_paper_does_not_have_is_an_error(tmp_path: Path, metrics: Metrics) -> None:
    wrong = COLUMNS | {"larger": {"column": "c_dir"}}
    with pytest.raises(QuantriftError, match=r"published\.csv has no rows with 'c_dir' and 'b_dir'"):
        table(tmp_path, [metrics("a", HIGH)], PUBLISHED, h=hypothesis(["a"], ["b"], published=[wrong]))


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        (hypothesis({"tools": ["a"], "dataset": "salinas"}, ["a"]), "dataset: one side states it"),
        (
            hypothesis({"tools": ["a"], "dataset": "salinas"}, {"tools": ["a"], "dataset": "pavia_university"}),
            "inputs of two datasets make no pairs",
        ),
        (hypothesis(["a"], ["b"], control_of="g"), "no hypothesis 'g'"),
        (hypothesis(["a"], ["b"], metrics=["sr"], published=[COLUMNS]), "'dir' is not among the metrics"),
    ],
)
def test_a_hypothesis_that_contradicts_itself_is_refused(stated: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Settings.model_validate({"kind": "findings", "title": "Findings", "hypotheses": {"h": stated}})


def test_spread_is_told_from_a_table_of_distances(tmp_path: Path, metrics: Metrics) -> None:
    keys = {"dataset": "city", "model": "ssrn", "metaheuristic": "PSO"}
    said = {"within_pairs": 10, "within_p": 2 / 1024, "within_p_min": 2 / 1024}
    rows = [
        keys | {"compression": "ptq_int8", "form": "raw", "fitness": "cov", "within": 99.0},
        keys
        | {"compression": "ptq_int8", "form": "scaled", "fitness": "cov", "within": 3.0, **said}
        | {"within_a12": 0.9, "within_rank_biserial": 1.0},
        keys | {"compression": "ptq_int8", "form": "scaled", "fitness": "div", "within": 2.0},
        keys
        | {"compression": "qat_int8", "form": "scaled", "fitness": "cov", "within": 1.0, **said}
        | {"within_a12": 0.2, "within_rank_biserial": -1.0},
        keys | {"compression": "qat_int8", "form": "scaled", "fitness": "div", "within": 2.0},
    ]
    file = tmp_path / "distances.csv"
    pd.DataFrame(rows).to_csv(file, index=False)
    spread = {"finding": 3, "sentence": "More spread.", "claim": "wider", "distances": "distances"}
    spread |= {"metaheuristic": "PSO", "larger": "cov", "smaller": "div"}
    files = [metrics("a", HIGH), metrics("b", LOW)]
    other_way = spread | {"larger": "div", "smaller": "cov"}
    found = {"wide": spread, "narrow": other_way, "other": spread | {"metaheuristic": "GA"}}
    rows_, cells = table(tmp_path, files, distances={"distances": file}, spreads=found, h=hypothesis(["a"], ["b"]))
    assert rows_["metric"].tolist() == ["dir", "spread", "spread", "spread"]
    assert rows_["verdict"].tolist() == ["holds", "mixed", "mixed", "not run"]
    wide = cells[cells["hypothesis"] == "wide"]
    assert wide[["larger", "smaller", "p", "p_reverse", "a12"]].to_numpy().tolist() == [
        [3.0, 2.0, 1 / 1024, 1 - 1 / 1024, 0.9],
        [1.0, 2.0, 1 - 1 / 1024, 1 / 1024, 0.2],
    ]
    assert cells[cells["hypothesis"] == "narrow"]["verdict"].tolist() == ["against", "for"]


@pytest.mark.parametrize(
    ("first", "larger", "rank_biserial", "a12", "expected"),
    [
        ("cov", "cov", 0.5, 0.8, (0.01, 0.99, 0.8)),
        ("cov", "div", 0.5, 0.8, (0.99, 0.01, 0.2)),
        ("div", "cov", 0.5, 0.8, (0.99, 0.01, 0.2)),
        ("cov", "cov", 0.0, 0.5, (1.0, 1.0, 0.5)),
        ("cov", "cov", -0.1, 0.4, (0.99, 0.01, 0.4)),
    ],
)
def test_the_sign_of_a_spread_is_of_the_fitness_that_the_table_names_first(
    first: str, larger: str, rank_biserial: float, a12: float, expected: tuple[float, float, float], tmp_path: Path
) -> None:
    keys = {"dataset": "city", "model": "ssrn", "compression": "q", "metaheuristic": "PSO", "form": "scaled"}
    said = {"within_pairs": 10, "within_p": 0.02, "within_p_min": 0.002, "within_a12": a12}
    second = "div" if first == "cov" else "cov"
    rows = [
        keys | said | {"fitness": first, "within": 3.0, "within_rank_biserial": rank_biserial},
        keys | {"fitness": second, "within": 2.0},
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "distances.csv", index=False)
    stated = {"finding": 3, "sentence": "", "claim": "", "distances": "distances", "metaheuristic": "PSO"}
    smaller = "div" if larger == "cov" else "cov"
    one = SpreadHypothesis.model_validate(stated | {"larger": larger, "smaller": smaller})
    [cell] = spreads("wide", one, tmp_path / "distances.csv")
    assert (cell.larger, cell.smaller) == ((3.0, 2.0) if larger == first else (2.0, 3.0))
    assert cell.evidence.run_seeds == 10
    assert (cell.evidence.p, cell.evidence.p_reverse, cell.evidence.a12) == pytest.approx(expected)
    assert cell.evidence.p_min == 0.001
