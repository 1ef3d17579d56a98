"""Metrics of run seeds, against numbers worked out by hand."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.factories.metrics import SEARCHED
from tests.factories.searches import found, search

from quantrift.core.base.errors import QuantriftError
from quantrift.core.statistics import run_seeds
from quantrift.core.statistics.invariants import check_counts, check_rates

Row = Callable[..., dict[str, Any]]


@pytest.fixture
def searches() -> pd.DataFrame:
    """Run seed 0: an agreeing and a disagreeing input with survivors; run seed 1: nothing valid."""
    small = {"generated": 10, "distinct": 10, "memberships": 20}
    rows = [
        search(0, 3, **small | {"distinct": 8}, valid=4, dii=2, dii_distinct=1, dii_memberships=5, first_dii=10),
        search(0, 5, **small, valid=1, dii=1, dii_distinct=1, dii_memberships=1, first_dii=4, seed_disagrees=True),
        search(1, 7, **small, valid=0),
    ]
    return pd.DataFrame(rows).astype({"generated": "int32", "memberships": "int32"})


def test_rates_are_the_quotients_of_the_protocol(searches: pd.DataFrame) -> None:
    row: Any = pd.DataFrame(run_seeds.per_run_seed(searches)).set_index("run_seed").loc[0]
    expected = {
        "inputs": 2,
        "inputs_agreeing": 1,
        "n_generated": 20,
        "n_valid": 5,
        "n_dii": 3,
        "n_distinct": 18,
        "n_unique": 2,
        "n_success": 2,
        "dir": 6 / 40,
        "dir_real": 3 / 20,
        "dir_unique": 2 / 18,
        "dir_valid": 3 / 5,
        "sr": 1.0,
        "vr": 5 / 20,
        "queries": 2.5,
        "dir_net": 5 / 20,
        "dir_unique_net": 1 / 8,
        "dir_valid_net": 2 / 4,
        "sr_net": 1.0,
    }
    assert row[list(expected)].to_dict() == pytest.approx(expected)


def test_without_valid_candidates_dir_valid_is_undefined_and_the_other_rates_are_zero(searches: pd.DataFrame) -> None:
    row: Any = pd.DataFrame(run_seeds.per_run_seed(searches)).set_index("run_seed").loc[1]
    assert np.isnan(row["dir_valid"])
    assert row[["dir", "dir_unique", "sr", "vr", "queries"]].tolist() == [0] * 5


def test_net_rates_are_undefined_where_every_input_disagrees_from_the_start() -> None:
    table = pd.DataFrame(run_seeds.per_run_seed(pd.DataFrame([found(0, 1, 3) | {"seed_disagrees": True}])))
    assert table["dir"].tolist() == [0.03]
    assert table[["dir_net", "sr_net"]].isna().all(axis=None)


def test_inputs_of_several_run_seeds_are_counted_as_shared() -> None:
    searches = pd.DataFrame([found(0, 1, 3), found(0, 2, 0), found(1, 2, 0), found(1, 3, 0)])
    table = pd.DataFrame(run_seeds.per_run_seed(searches))
    assert table["inputs_shared"].tolist() == [1, 1]


def test_files_hold_keys_first_and_times_apart(tmp_path: Path, searches: pd.DataFrame) -> None:
    block = tmp_path / "seeds_000-001.searches.parquet"
    searches.to_parquet(block)
    out = tmp_path / "rq1.csv"
    run_seeds.write([block], SEARCHED, out)
    table = pd.read_csv(out)
    assert table.columns[:6].tolist() == ["dataset", "model", "compression", "tool", "protocol", "run_seed"]
    assert not [name for name in table if "second" in str(name)]
    timing = pd.read_csv(tmp_path / "rq1.timing.csv")
    assert timing[["seconds", "candidates_per_second"]].to_numpy().tolist() == [[1.0, 20.0], [0.5, 20.0]]


def test_files_depend_neither_on_blocks_nor_on_the_order_of_rows(tmp_path: Path, searches: pd.DataFrame) -> None:
    searches.to_parquet(tmp_path / "all.parquet")
    searches.iloc[[2]].to_parquet(tmp_path / "a.parquet")
    searches.iloc[[1, 0]].to_parquet(tmp_path / "b.parquet")
    run_seeds.write([tmp_path / "all.parquet"], SEARCHED, tmp_path / "one" / "rq1.csv")
    run_seeds.write([tmp_path / "a.parquet", tmp_path / "b.parquet"], SEARCHED, tmp_path / "two" / "rq1.csv")
    for name in ("rq1.csv", "rq1.intervals.csv", "rq1.timing.csv"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.parametrize(
    "wrong",
    [{"dii": 51}, {"valid": 101}, {"distinct": 101}, {"dii_memberships": 2}, {"first_dii": 0}, {"memberships": 0}],
)
def test_counts_that_contradict_themselves_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(QuantriftError, match="run seed 0, input 4"):
        check_counts(pd.DataFrame([found(0, 4, 3) | wrong]))


def test_records_of_an_earlier_version_are_refused() -> None:
    with pytest.raises(QuantriftError, match="no column 'cluster'.*search again"):
        check_counts(pd.DataFrame([found(0, 4, 3)]).drop(columns="cluster"))


def test_an_input_that_occurs_twice_in_a_run_seed_is_refused() -> None:
    with pytest.raises(QuantriftError, match="occurs twice"):
        check_counts(pd.DataFrame([found(0, 4, 3), found(0, 4, 3)]))


def test_a_rate_outside_its_bounds_is_refused() -> None:
    searches = pd.DataFrame([found(0, 4, 3), found(0, 5, 0)])
    table = pd.DataFrame(run_seeds.per_run_seed(searches))
    check_rates(searches, table)
    with pytest.raises(QuantriftError, match=r"dir = 0\.6 lies outside"):
        check_rates(searches, table.assign(dir=0.6))


def test_a_tool_without_searches_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(QuantriftError, match="sim_pavia/hybridsn/ptq_int8/random/rq1"):
        run_seeds.write([], SEARCHED, tmp_path / "rq1.csv")
