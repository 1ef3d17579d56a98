"""Relations between the rates hold for every table of searches that can occur."""

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from quantrift.core.statistics.intervals import intervals
from quantrift.core.statistics.invariants import check_counts, check_rates
from quantrift.core.statistics.run_seeds import per_run_seed

RUN_SEEDS, INPUTS, BUDGET = 3, 4, 30


@st.composite
def one_search(draw: st.DrawFn, survivors: bool) -> dict[str, object]:
    """Counts of a search of BUDGET candidates; with survivors, generations keep what they found."""
    valid = draw(st.integers(0, BUDGET))
    dii = draw(st.integers(0, valid))
    distinct = draw(st.integers(max(1, dii), BUDGET))
    memberships = 2 * BUDGET if survivors else BUDGET
    first = draw(st.sampled_from([10, 20, 30])) if dii else 0
    dii_distinct = draw(st.integers(min(1, dii), dii))
    reached = draw(st.integers(0, dii))
    return {
        "target": -1,
        "true_label": 0,
        "seed_disagrees": draw(st.booleans()),
        "generated": BUDGET,
        "distinct": distinct,
        "valid": valid,
        "dii": dii,
        "dii_distinct": dii_distinct,
        "memberships": memberships,
        "dii_memberships": draw(st.integers(dii, memberships)) if dii and survivors else dii,
        "generations": 3,
        "first_dii": first,
        "reached": reached,
        "reached_distinct": draw(st.integers(min(1, reached), min(reached, dii_distinct))),
        "first_reached": draw(st.sampled_from([n for n in (10, 20, 30) if n >= first])) if reached else 0,
        "seconds": 0.1,
    }


def tables(survivors: bool) -> st.SearchStrategy[pd.DataFrame]:
    """Tables of RUN_SEEDS x INPUTS searches."""
    rows = st.lists(one_search(survivors), min_size=RUN_SEEDS * INPUTS, max_size=RUN_SEEDS * INPUTS)
    return rows.map(
        lambda rows: pd.DataFrame(
            [{"run_seed": n // INPUTS, "input": n, "cluster": n} | row for n, row in enumerate(rows)]
        )
    )


@settings(max_examples=40)
@given(tables(survivors=False))
def test_divergence_rate_lies_between_its_bounds_on_every_run_seed(searches: pd.DataFrame) -> None:
    check_counts(searches)
    table = pd.DataFrame(per_run_seed(searches))
    check_rates(searches, table)
    for rate in ("dir", "dir_real"):
        assert (table["sr"] / BUDGET <= table[rate] + 1e-12).all()
        assert (table[rate] <= table[["sr", "vr"]].min(axis=1) + 1e-12).all()


@settings(max_examples=40)
@given(tables(survivors=True))
def test_with_survivors_the_memberships_bound_the_rate_from_below(searches: pd.DataFrame) -> None:
    check_counts(searches)
    table = pd.DataFrame(per_run_seed(searches))
    check_rates(searches, table)
    assert (table["sr"] / (2 * BUDGET) <= table["dir"] + 1e-12).all()
    assert (table["dir"] <= table["sr"] + 1e-12).all()


@settings(max_examples=40)
@given(tables(survivors=True))
def test_rates_and_intervals_are_fractions(searches: pd.DataFrame) -> None:
    table = pd.DataFrame(per_run_seed(searches))
    rates = [name for name in table if str(name).startswith(("dir", "sr", "vr"))]
    assert (table[rates].isna() | table[rates].ge(0) & table[rates].le(1)).all(axis=None)
    rows = pd.DataFrame(intervals(searches))
    ends = rows[[name for name in rows if str(name).endswith(("low", "high"))]]
    assert (ends.isna() | ends.ge(0) & ends.le(1)).all(axis=None)
