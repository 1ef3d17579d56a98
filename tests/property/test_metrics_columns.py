"""Metrics on columns of numpy are those that pandas gives."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantrift.core.base.table_columns import firsts, in_order, numbered, places
from quantrift.core.statistics.found_rates import owners
from quantrift.core.statistics.run_seeds import _write_csv, per_run_seed

SMALL = st.integers(0, 4)
PAIRS = st.lists(st.tuples(SMALL, SMALL, SMALL), min_size=1, max_size=30)


def frame(rows: list[tuple[int, int, int]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["run_seed", "input", "dii"])


@given(PAIRS)
def test_sorting_and_first_rows(rows: list[tuple[int, int, int]]) -> None:
    table = frame(rows)
    pd.testing.assert_frame_equal(
        pd.DataFrame(in_order(table, ["run_seed", "input"])),
        table.sort_values(["run_seed", "input"], kind="stable", ignore_index=True),
    )
    keys = [table[name].to_numpy() for name in ("run_seed", "input")]
    kept = table.drop_duplicates(["run_seed", "input"]).index
    assert firsts(keys).tolist() == kept.tolist()
    assert numbered(keys).tolist() == table.groupby(["run_seed", "input"]).ngroup().tolist()


@given(PAIRS, PAIRS)
def test_places_of_keys(rows: list[tuple[int, int, int]], others: list[tuple[int, int, int]]) -> None:
    own = frame(others).drop_duplicates(["run_seed", "input"])
    wanted, among = ([table[name].to_numpy() for name in ("run_seed", "input")] for table in (frame(rows), own))
    expected = pd.MultiIndex.from_arrays(among).get_indexer(pd.MultiIndex.from_arrays(wanted))
    assert places(wanted, among).tolist() == expected.tolist()


@given(PAIRS)
def test_run_seeds_that_share_an_input(rows: list[tuple[int, int, int]]) -> None:
    table = frame(rows)
    assert owners(table).tolist() == table.groupby("input")["run_seed"].transform("nunique").tolist()


@given(PAIRS, st.data())
def test_sums_and_rates_of_run_seeds(rows: list[tuple[int, int, int]], data: st.DataObject) -> None:
    table = frame(rows).assign(seed_disagrees=[data.draw(st.booleans()) for _ in rows])
    for name in ("generated", "distinct", "valid", "dii_distinct", "memberships", "dii_memberships"):
        table[name] = [data.draw(SMALL) for _ in rows]
    found, agreeing = pd.DataFrame(per_run_seed(table)), table[~table["seed_disagrees"]]
    sums = table.groupby("run_seed").sum()
    net = agreeing.groupby("run_seed").sum().reindex(sums.index)
    assert found["run_seed"].tolist() == sums.index.tolist()
    assert found["inputs_agreeing"].tolist() == (len_of(agreeing).reindex(sums.index).fillna(0)).tolist()
    assert found["n_memberships"].tolist() == sums["memberships"].tolist()
    for name, of in (("dir", sums), ("dir_net", net)):
        expected = (of["dii_memberships"] / of["memberships"].replace(0, np.nan)).to_numpy()
        np.testing.assert_array_equal(found[name], expected)


def len_of(table: pd.DataFrame) -> pd.Series:
    return table.groupby("run_seed").size()


@settings(max_examples=50, deadline=None)
@given(values=st.lists(st.floats(), min_size=1, max_size=20))
def test_a_file_has_the_bytes_that_pandas_writes(values: list[float], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder: Path = tmp_path_factory.mktemp("csv")
    columns = {
        "tool": np.full(len(values), 'a "b", c'),
        "n": np.arange(len(values)),
        "value": np.array(values),
        "rests_on": np.where(np.arange(len(values)) % 2, "one seed input", ""),
    }
    _write_csv(folder / "ours.csv", columns)
    pd.DataFrame(columns).to_csv(folder / "theirs.csv", index=False, lineterminator="\n")
    assert (folder / "ours.csv").read_bytes() == (folder / "theirs.csv").read_bytes()
