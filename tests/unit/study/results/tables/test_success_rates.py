"""Success rates of tools over seed inputs, by hand."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.factories import datasets, searches, targets
from tests.factories.searches import first_attack

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.paths import Paths
from quantrift.core.statistics.intervals import wilson
from quantrift.study.results.figures.finished_figure import steps
from quantrift.study.results.tables.kinds import success_rates

DATASETS = {"digits": datasets.digits("mnist")}
PUBLISHED = """dataset,model,compression,diffchaser_sr,deepxplore_sr,diffchaser_seconds,deepxplore_seconds
mnist,lenet5,ptq_int8,0.95,0.06,3103,11380
mnist,lenet1,ptq_int8,0.92,0,3160,12000
"""

TITLES = {"diffchaser": "DiffChaser", "diffchaser_code": "as the code"}


@pytest.fixture
def searched(tmp_path: Path) -> Callable[..., Path]:
    """Writes searches of a tool: candidates to success of each input, 0 for none of 500; the first input differs."""

    def write(
        tool: str, *found: int, first_input: int = 0, compression: str = "ptq_int8", protocol: str = "q2"
    ) -> Path:
        rows = [
            first_attack(0, number, candidates, 500, seconds=(candidates or 500) / 10, seed_disagrees=number == 0)
            for number, candidates in enumerate(found, start=first_input)
        ]
        return searches.write(rows, Paths(tmp_path).searches("digits", "lenet5", compression, tool, protocol))

    return write


def make(
    folder: Path,
    files: list[Path],
    published: str = PUBLISHED,
    known: Any = DATASETS,
    alone: list[Path] | None = None,
    **target: Any,
) -> tuple[Any, Any]:
    """The CSV and the timing CSV, by network and tool; ``alone``: files of searches by themselves."""
    papers = targets.published(folder, published)
    needed = {"searches": targets.of_searches(files)}
    if alone:
        needed["isolated"] = targets.of_searches(alone)
        target["isolated"] = True
    given = targets.given(needed, known, published=papers, titles=TITLES)
    stem = targets.table(folder, given, kind="success_rates", **{"from": ["q2"], "timeout": 20, **target})
    found, times = (
        pd.read_csv(f"{stem}{end}").set_index(["dataset", "model", "tool"]) for end in (".csv", ".timing.csv")
    )
    return found, times


def test_failures_count_in_the_rate_and_are_charged_in_full(tmp_path: Path, searched: Callable[..., Path]) -> None:
    found, times = make(tmp_path, [searched("diffchaser", 0, 100, 300, 200)])
    row = found.loc[("digits", "lenet5", "diffchaser")]
    assert row[["inputs", "differing_inputs", "n_success"]].tolist() == [4, 1, 3]
    assert row[["sr", "sr_low", "sr_high"]].tolist() == pytest.approx([0.75, *wilson(3, 4)])
    assert row[["to_success_median", "spent_average"]].tolist() == [200, 275]
    assert row["published_sr"] == 0.95
    # 10, 20 and 30 seconds succeeded, 50 failed; within the published 20 s two of four.
    seconds = times.loc[("digits", "lenet5", "diffchaser")]
    assert seconds[list(success_rates.TIMES)].tolist() == [110, 20, 0.5, 3103]


def test_success_within_the_papers_seconds_is_read_from_searches_by_themselves_too(
    tmp_path: Path, searched: Callable[..., Path]
) -> None:
    together = [searched("diffchaser", 0, 100, 300, 200)]
    # 10, 30 and 20 seconds until success, 50 without: all candidates are spent before the paper's 60 s.
    alone = [searched("diffchaser", 0, 100, 300, 200, protocol="q2_isolated")]
    own = ("digits", "lenet5", "diffchaser")
    for timeout, within, said in (
        (20, 0.5, None),
        (60, 0.75, "1 of 4 searches had spent their candidates before 60 s"),
        (None, None, None),
    ):
        found, times = make(tmp_path, together, alone=alone, timeout=timeout)
        row = times.loc[own]
        assert row["isolated_inputs":"isolated_seconds_success_average"].tolist() == [4, 110, 27.5, 20]
        assert row[["isolated_sr_within", "isolated_ended_before"]].fillna("").tolist() == [within or "", said or ""]
        assert list(times)[-1] == "published_seconds"
        assert row["published_seconds"] == 3103
        assert np.isnan(times.loc[("mnist", "lenet1", "diffchaser"), "isolated_seconds"])
        without, _ = make(tmp_path, together, timeout=timeout)
        pd.testing.assert_frame_equal(found, without)


def test_one_published_number_may_stand_beside_two_tools(tmp_path: Path, searched: Callable[..., Path]) -> None:
    files = [searched("diffchaser", 5, 5), searched("diffchaser_code", 5, 5)]
    found, times = make(tmp_path, files, published_as={"diffchaser_code": "diffchaser"})
    assert found.loc[("digits", "lenet5"), "published_sr"].tolist() == [0.95, 0.95, 0.06]
    assert times.loc[("digits", "lenet5", "diffchaser_code"), "published_seconds"] == 3103


def test_pairs_of_tools_are_tested_on_the_same_inputs(tmp_path: Path, searched: Callable[..., Path]) -> None:
    files = [searched("diffchaser", 0, *[50] * 8), searched("deepxplore", 0, 0, 90, *[0] * 6)]
    found, _ = make(tmp_path, files)
    row = found.loc[("digits", "lenet5", "diffchaser")]
    assert row[["against", "n_alone", "n_other_alone"]].tolist() == ["deepxplore", 7, 0]
    assert row[["p", "p_holm"]].tolist() == pytest.approx([2 / 2**7, 2 / 2**7])
    assert found.loc[("digits", "lenet5", "deepxplore")][["sr", "published_sr"]].tolist() == pytest.approx(
        [1 / 9, 0.06]
    )


def test_pairs_that_were_not_planned_have_no_adjusted_p(tmp_path: Path, searched: Callable[..., Path]) -> None:
    files = [
        searched(tool, 0, *[after] * 8) for tool, after in (("diffchaser", 50), ("deepxplore", 0), ("tensorfuzz", 0))
    ]
    found, _ = make(tmp_path, files, planned=[{"tool": "diffchaser", "against": "deepxplore"}])
    rows = found.loc[("digits", "lenet5")].set_index("against", append=True)["p_holm"]
    assert rows[("diffchaser", "deepxplore")] == pytest.approx(2 / 2**8)
    assert rows.drop(("diffchaser", "deepxplore")).isna().all()


def test_tools_and_subjects_that_only_the_paper_has_are_empty(tmp_path: Path, searched: Callable[..., Path]) -> None:
    found, times = make(tmp_path, [searched("diffchaser", 5, 5)])
    for key in (("digits", "lenet5", "deepxplore"), ("mnist", "lenet1", "diffchaser")):
        assert found.loc[key][["sr", "inputs", "p", "scale"]].isna().all()
        assert times.loc[key, list(success_rates.TIMES)].isna().tolist() == [True, True, True, False]
    assert found.loc[("mnist", "lenet1", "diffchaser"), "published_sr"] == 0.92
    assert "second" not in (tmp_path / "tables" / "success_rates.md").read_text()


def test_rows_of_the_paper_alone_bear_the_name_of_the_tool_that_its_other_numbers_stand_beside(
    tmp_path: Path, searched: Callable[..., Path]
) -> None:
    found, times = make(tmp_path, [searched("diffchaser_code", 5, 5)], published_as={"diffchaser_code": "diffchaser"})
    assert found.loc[("mnist", "lenet1", "diffchaser_code"), "published_sr"] == 0.92
    assert times.loc[("mnist", "lenet1", "diffchaser_code"), "published_seconds"] == 3160
    assert ("mnist", "lenet1", "diffchaser") not in found.index
    shown = (tmp_path / "tables" / "success_rates.md").read_text()
    # "DiffChaser" is the name of another tool of ours, the one with that id.
    assert "| mnist | lenet1 | ptq_int8 | as the code |" in shown
    assert "| DiffChaser |" not in shown


def test_data_of_ones_own_get_no_rows_of_the_papers_data(tmp_path: Path, searched: Callable[..., Path]) -> None:
    files = [searched("diffchaser", 5, 5)]
    cifar = PUBLISHED + "cifar10,lenet5,ptq_int8,0.82,0,6755,12000\n"
    filed, _ = make(tmp_path, files, cifar)
    assert {dataset for dataset, _, _ in filed.index} == {"digits", "mnist"}
    own = {"digits": DATASETS["digits"].model_copy(update={"published_as": None})}
    found, times = make(tmp_path, files, cifar, known=own)
    assert found.index.tolist() == times.index.tolist() == [("digits", "lenet5", "diffchaser")]


def test_tools_that_started_elsewhere_are_not_compared(tmp_path: Path, searched: Callable[..., Path]) -> None:
    files = [searched("diffchaser", 5, 5), searched("deepxplore", 5, 5, first_input=1)]
    with pytest.raises(QuantriftError, match="diffchaser and deepxplore started from different inputs"):
        make(tmp_path, files)
    with pytest.raises(QuantriftError, match="no searches"):
        make(tmp_path, [])
    with pytest.raises(QuantriftError, match="column 'diffchaser_dir' ends with none of"):
        make(tmp_path, files[:1], PUBLISHED.replace("diffchaser_sr", "diffchaser_dir"))


def test_a_curve_steps_where_searches_succeed_and_ends_at_the_longest_one(searched: Callable[..., Path]) -> None:
    from quantrift.core.statistics import disagreements

    searches = disagreements.load(targets.of_searches([searched("diffchaser", 100, 0, 300, 100)]))
    reached = searches["fdi"].dropna().to_numpy()
    places, shares = steps(reached, len(searches), 50.0, 500.0)
    assert places.tolist() == [50, 100, 300, 500]
    assert shares.tolist() == [0, 0.5, 0.75, 0.75]
    places, shares = steps(reached, len(searches), 100.0, 500.0)
    assert (places.tolist(), shares.tolist()) == ([100, 300, 500], [0.5, 0.75, 0.75])


def test_curves_name_their_compressions_and_mark_what_is_published(
    tmp_path: Path, searched: Callable[..., Path]
) -> None:
    files = [searched("diffchaser", 9, 0, 7), searched("diffchaser", 0, 0, 0, compression="tflite_float")]
    stated = {"kind": "success_curves", "title": "Curves", "from": ["q3"]}
    papers, titles = targets.published(tmp_path, PUBLISHED), {"tflite_float": "converted"}
    given = targets.given({"searches": targets.of_searches(files)}, DATASETS, published=papers, titles=titles)
    path = targets.figure(tmp_path, given, **stated).with_suffix(".svg")
    texts = set(targets.texts(path))
    assert {"converted", "ptq_int8", "published", "3 seed inputs; scale: demo"} <= texts
    before = path.read_bytes()
    targets.figure(tmp_path, given, **stated)
    assert path.read_bytes() == before
