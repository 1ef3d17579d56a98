"""No interval stands beside an estimate that it does not contain, whatever was found."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantrift.core.statistics.clustered import clustered
from quantrift.core.statistics.intervals import FEWEST, drop, intervals, median, of_inputs, pooled
from quantrift.core.statistics.odds import Activation, odds
from quantrift.core.statistics.query_counts import over, ratio, spread

BUDGET = 20


@st.composite
def tables(draw: st.DrawFn) -> pd.DataFrame:
    """Searches of one to eight run seeds of one to six inputs, of which some find nothing and some nothing else."""
    run_seeds, inputs = draw(st.integers(1, 8)), draw(st.integers(1, 6))
    # Inputs in blocks of a scene, or each by itself; shared by all run seeds, or by none.
    block, shared = draw(st.sampled_from([1, 1, 3])), draw(st.booleans())
    rows = []
    for n in range(run_seeds * inputs):
        valid = draw(st.sampled_from([0, 1, 7, BUDGET]))
        dii = draw(st.sampled_from([0, 0, 0, valid // 2, valid]))
        number = n % inputs if shared else n
        rows.append(
            {
                "run_seed": n // inputs,
                "input": number,
                "cluster": number if block == 1 else 1000 + number // block,
                "seed_disagrees": draw(st.booleans()),
                "generated": BUDGET,
                "distinct": BUDGET,
                "valid": valid,
                "dii": dii,
                "dii_distinct": min(1, dii),
                "memberships": BUDGET,
                "dii_memberships": dii,
                "success": dii > 0,
                "queries": float(draw(st.integers(1, BUDGET))),
            }
        )
    return pd.DataFrame(rows)


def contains(low: float, value: float, high: float) -> bool:
    """Whether it does, or there is no interval, at neither end."""
    if math.isnan(low) and math.isnan(high):
        return True
    return low <= value <= high


@settings(max_examples=150)
@given(tables())
def test_each_interval_contains_its_estimate_and_belongs_to_enough_clusters(searches: pd.DataFrame) -> None:
    rows = pd.DataFrame(intervals(searches)).set_index("metric")
    for metric, row in rows.iterrows():
        for estimate in ("median", "pooled"):
            assert contains(row[f"{estimate}_low"], row[estimate], row[f"{estimate}_high"]), (metric, estimate)
        assert bool(row["rests_on"]) == (row["clusters_hit"] in (1, 2))
        given_ends = not math.isnan(row["pooled_low"])
        if metric not in ("sr", "differing_share") and not math.isnan(row["pooled"]):
            assert given_ends == (row["clusters_hit"] == 0 or row["clusters_hit"] >= FEWEST)
        if row["pooled"] == 0:
            assert row["pooled_low"] == 0 < row["pooled_high"]
        if row["pooled"] == 1 and given_ends:
            assert row["pooled_low"] < 1 == row["pooled_high"]


@settings(max_examples=100)
@given(tables())
def test_pooled_shares_and_shares_of_inputs_do_too(searches: pd.DataFrame) -> None:
    clusters, dii, valid = (searches[name].to_numpy() for name in ("cluster", "dii", "valid"))
    for share in (pooled(clusters, dii, valid), of_inputs(clusters, dii > 0)):
        assert contains(share.low, share.share, share.high)
    share_low_high = clustered(dii, valid)
    assert contains(share_low_high[1], share_low_high[0], share_low_high[2])


@settings(max_examples=60)
@given(tables(), tables())
def test_queries_and_their_ratio_do_too(searches: pd.DataFrame, other: pd.DataFrame) -> None:
    found = spread(searches)
    for name in ("sr", "queries_average"):
        nothing = math.nan
        assert contains(found.get(f"{name}_low", nothing), found.get(name, nothing), found.get(f"{name}_high", nothing))
    rival = searches.assign(queries=np.resize(other["queries"].to_numpy(), len(searches)))
    middle, low, high = over([ratio(searches, rival)])
    assert contains(low, middle, high)


@settings(max_examples=100)
@given(st.lists(st.tuples(*[st.sampled_from([0, 0, 1, 30])] * 4), min_size=1, max_size=9), st.sampled_from([1, 3]))
def test_odds_ratios_do_too(rows: list[tuple[int, ...]], block: int) -> None:
    cells = np.array(rows)
    total, on = np.stack([cells[:, 2:].sum(axis=1), cells[:, :2].sum(axis=1)], axis=1), cells[:, [2, 0], None]
    numbers = np.arange(len(cells))
    one = Activation(("zoom",), 0 * numbers, numbers, numbers // block, total, on, np.zeros((2, 1, 1), np.int64))
    found = odds([one])
    if math.isnan(found.ratio[0]):
        assert math.isnan(found.low[0])
    else:
        assert contains(found.low[0], found.ratio[0], found.high[0])
        hits = len(np.unique(one.clusters[total[:, 1] > 0]))
        assert math.isnan(found.low[0]) == (hits < FEWEST)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_medians_do_too_and_have_one_from_six_values_on(values: list[float]) -> None:
    middle, low, high = median(np.array(values))
    assert contains(low, middle, high)
    assert math.isnan(low) == math.isnan(high) == (len(values) < 6)
    assert middle == pytest.approx(np.median(values))


@given(st.integers(1, 300), st.data())
def test_differences_of_shares_do_too(count: int, data: st.DataObject) -> None:
    lost = data.draw(st.integers(0, count))
    fall, low, high = drop(lost, data.draw(st.integers(0, count - lost)), count)
    assert contains(low, fall, high)
