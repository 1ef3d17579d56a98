"""Candidates up to the first difference-inducing input, by hand."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.factories import datasets, searches, targets
from tests.factories.searches import search

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.paths import Paths
from quantrift.core.statistics.first_found import first_attack

DATASETS = {"sim_pavia": datasets.scene("pavia_university")}
PUBLISHED = """dataset,model,compression,pso_fdi_seconds,pso_fdi_success_seconds,diffchaser_fdi_seconds
pavia_university,hybridsn,ptq_int8,7.27,6.46,14.04
,hybridsn,,6.96,5.39,13.51
"""


@pytest.fixture
def tools() -> dict[str, pd.DataFrame]:
    """One run seed of three inputs; PSO finds at 10 and 40 of 250, GA at 20, and may evaluate 154."""

    def searched(budget: int, *found: int) -> pd.DataFrame:
        rows = [
            search(0, n, generated=first or budget, first_dii=first, dii=int(first > 0), seconds=float(first or budget))
            for n, first in enumerate(found)
        ]
        return pd.DataFrame(rows)

    return {"pso_div": searched(250, 10, 40, 0), "ga_div": searched(154, 20, 0, 0)}


def test_failed_searches_are_charged_in_full_and_means_over_successes_leave_them_out(
    tools: dict[str, pd.DataFrame],
) -> None:
    measured, horizon = first_attack(tools)
    pso: Any = measured["pso_div"].loc[0]
    ga: Any = measured["ga_div"].loc[0]
    assert (pso["sr"], pso["fdi"], pso["fdi_success"]) == pytest.approx((2 / 3, 300 / 3, 25))
    assert (ga["sr"], ga["fdi"], ga["fdi_success"]) == pytest.approx((1 / 3, 328 / 3, 20))
    # Both succeed on the first input alone.
    assert (pso["fdi_common"], ga["fdi_common"], pso["common_inputs"]) == (10, 20, 1)
    # GA gives up after 154, so PSO is charged no more than that.
    assert horizon == 154
    assert (pso["fdi_restricted"], ga["fdi_restricted"]) == pytest.approx((204 / 3, 328 / 3))


def test_without_failures_the_horizon_restricts_nothing(tools: dict[str, pd.DataFrame]) -> None:
    measured, horizon = first_attack({"pso_div": tools["pso_div"].iloc[:2]})
    assert horizon == 40
    assert measured["pso_div"][["fdi", "fdi_restricted"]].to_numpy().tolist() == [[25, 25]]


def test_without_any_success_the_mean_over_successes_is_undefined(tools: dict[str, pd.DataFrame]) -> None:
    measured, _ = first_attack({"ga_div": tools["ga_div"].iloc[1:]})
    row: Any = measured["ga_div"].loc[0]
    assert row[["fdi_success", "fdi_common", "fdi_success_seconds"]].isna().all()
    assert row["fdi"] == 154


def make(
    folder: Path,
    tools: dict[str, pd.DataFrame],
    published: str = PUBLISHED,
    known: Any = DATASETS,
    alone: dict[str, pd.DataFrame] | None = None,
) -> tuple[Any, Any]:
    """The CSV and the timing CSV (data frames), by dataset, network and tool; ``alone``: searches by themselves."""
    files, isolated = {}, {}
    for model in ("hybridsn", "ssrn"):
        for tool, first in tools.items():
            later = first.assign(run_seed=1, first_dii=2 * first["first_dii"])
            last = first.assign(run_seed=2, first_dii=0, dii=0, generated=first["generated"].max())
            key = ("sim_pavia", model, "ptq_int8", tool, "rq3_first")
            rows = pd.concat([first, later, last])
            files[key] = searches.write(rows, Paths(folder).searches(*key), "seeds_000-002")
        for tool, rows in (alone or {}).items():
            key = ("sim_pavia", model, "ptq_int8", tool, "rq3_first_isolated")
            isolated[key] = searches.write(rows, Paths(folder).searches(*key), "seeds_000-000")
    papers = targets.published(folder, published)
    needed = {"searches": files} | ({"isolated": isolated} if alone else {})
    given = targets.given(needed, known, published=papers, titles={"pso_div": "PSO"})
    stated: dict[str, Any] = {"from": ["rq3_first"], "rows": ["compression"], "published_as": {"pso_div": "pso"}}
    stated |= {"isolated": True} if alone else {}
    stem = targets.table(folder, given, kind="first_attack", **stated)
    read = (pd.read_csv(f"{stem}{end}").fillna({"dataset": "", "model": ""}) for end in (".csv", ".timing.csv"))
    whole, times = (one.set_index(["dataset", "model", "tool"]).sort_index() for one in read)
    return whole, times


def test_a_cell_is_the_median_over_run_seeds_and_a_mean_over_subjects_that_of_medians(
    tmp_path: Path, tools: dict[str, pd.DataFrame]
) -> None:
    found, _ = make(tmp_path, tools)
    # PSO: (10 + 40 + 250) / 3, (20 + 80 + 250) / 3, 250.
    assert found.loc[("sim_pavia", "ssrn", "pso_div"), "fdi"] == pytest.approx(350 / 3)
    assert found.loc[("", "", "pso_div"), ["fdi", "subjects"]].tolist() == pytest.approx([350 / 3, 2])
    assert found.loc[("sim_pavia", "ssrn", "ga_div"), ["run_seeds", "inputs", "horizon"]].tolist() == [3, 3, 154]


def test_times_ours_and_published_stand_in_the_timing_file_alone(
    tmp_path: Path, tools: dict[str, pd.DataFrame]
) -> None:
    found, times = make(tmp_path, tools)
    assert not [name for name in found if "second" in str(name)]
    assert "6.46" not in (tmp_path / "tables" / "first_attack.md").read_text()
    row = times.loc[("sim_pavia", "hybridsn", "pso_div")]
    assert row[["fdi_seconds", "published_fdi_seconds", "published_fdi_success_seconds"]].tolist() == [100, 7.27, 6.46]


def test_seconds_of_searches_by_themselves_stand_between_charged_and_published_ones(
    tmp_path: Path, tools: dict[str, pd.DataFrame]
) -> None:
    # Two inputs of the first run seed: 10 and 40 candidates of PSO, 20 and all 154 of GA.
    alone = {tool: rows.iloc[:2].assign(seconds=3 * rows["seconds"]) for tool, rows in tools.items()}
    without, _ = make(tmp_path / "without", tools)
    found, times = make(tmp_path / "with", tools, alone=alone)
    pd.testing.assert_frame_equal(found, without)
    assert list(times)[-7:] == [
        *("fdi_seconds", "fdi_success_seconds"),
        *("isolated_inputs", "isolated_fdi_seconds", "isolated_fdi_success_seconds"),
        *("published_fdi_seconds", "published_fdi_success_seconds"),
    ]
    row = times.loc[("sim_pavia", "hybridsn", "pso_div")]
    assert row.iloc[-7:].tolist() == [100, 25, 2, 75, 75, 7.27, 6.46]
    assert times.loc[("sim_pavia", "ssrn", "ga_div")].iloc[-5:-2].tolist() == [2, 3 * 87, 60]
    # Means over both networks.
    assert times.loc[("", "", "pso_div"), "isolated_fdi_seconds"] == 75


def test_what_only_the_paper_has_is_empty_here(tmp_path: Path, tools: dict[str, pd.DataFrame]) -> None:
    found, times = make(tmp_path, tools)
    key = ("sim_pavia", "hybridsn", "diffchaser")
    assert found.loc[key, ["sr", "fdi", "run_seeds", "scale"]].isna().all()
    # Subjects that were not run have the paper's times alone.
    assert ("", "hybridsn", "diffchaser") not in found.index
    assert times.loc[("", "hybridsn", "diffchaser"), "published_fdi_seconds"] == 13.51


def test_data_of_ones_own_get_no_times_of_the_papers_data(tmp_path: Path, tools: dict[str, pd.DataFrame]) -> None:
    published = PUBLISHED + "salinas,hybridsn,ptq_int8,6.82,5.49,13.59\n"
    _, times = make(tmp_path / "filed", tools, published)
    # A mean of the paper stands there, as one of the datasets shown is its.
    assert set(times.index.get_level_values("dataset")) == {"sim_pavia", ""}
    own = {"sim_pavia": DATASETS["sim_pavia"].model_copy(update={"published_as": None})}
    _, times = make(tmp_path / "own", tools, published, own)
    assert times.filter(like="published").isna().all(axis=None)


def test_a_published_column_of_another_kind_is_an_error(tmp_path: Path, tools: dict[str, pd.DataFrame]) -> None:
    with pytest.raises(QuantriftError, match="column 'pso_dir' ends with none of"):
        make(tmp_path, tools, PUBLISHED.replace("pso_fdi_seconds", "pso_dir"))
