"""Number of inputs that would decide: a range that holds what simulated pairs need."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from quantrift.core.statistics.clustered import clopper_pearson, clustered
from quantrift.core.statistics.intervals import drop, wilson
from quantrift.judge.verdict import more_inputs
from quantrift.judge.verdict.assessment import Limits
from quantrift.judge.verdict.clean_inputs import clean
from quantrift.judge.verdict.more_inputs import Needed, fewest_without, needed, needed_clusters
from quantrift.judge.verdict.record_summary import rate
from quantrift.judge.verdict.tool_result import Rate
from quantrift.judge.verdict.verdict import OfTool, judged

Draw = Callable[[np.random.Generator, float, int], np.ndarray]
"""From a true rate and a number to what so many inputs show, (n, m)."""
ALLOWED, EACH = 0.05, 50


@given(st.integers(0, 300), st.integers(300, 5000))
def test_ends_are_those_of_intervals_that_are_known(events: int, count: int) -> None:
    test = stats.binomtest(events, count)
    exact, score = (test.proportion_ci(0.95, method) for method in ("exact", "wilson"))
    for found in (more_inputs.of_inputs, more_inputs.of_clusters):
        assert found(events / count, count) == pytest.approx((exact.low, exact.high), abs=1e-9)
    assert more_inputs.of_searches(events / count, count) == pytest.approx((score.low, score.high), abs=1e-9)
    lost, gained = events, (count - events) // 3
    ends = more_inputs.of_drop((lost - gained) / count, count, gained / count)
    assert ends == pytest.approx(drop(lost, gained, count)[1:], abs=1e-9)


def test_seed_inputs_of_many_cases_have_the_interval_of_their_changes() -> None:
    events = np.random.default_rng(0).binomial(EACH, np.tile([0.01, 0.05, 0.1], 40))
    share, low, high = clustered(events, np.full(120, EACH))
    cases = more_inputs._cases(share, low, high, 120) / 120
    assert cases > 1
    assert more_inputs.of_clusters(share, 120, cases) == pytest.approx((low, high), abs=1e-9)


@given(st.integers(0, 40), st.integers(40, 400), st.integers(1, 100_000), st.integers(1, 100_000))
def test_more_inputs_never_decide_less_likely(events: int, count: int, few: int, many: int) -> None:
    seen = Rate(events / count, *clopper_pearson(events / count, count))
    assert seen.low is not None
    assert seen.high is not None
    assume(seen.low <= ALLOWED <= seen.high)
    chances = [
        more_inputs._chance(count + more, seen, ALLOWED, count, more_inputs.of_inputs) for more in (few, few + many)
    ]
    assert 0 <= chances[0] <= chances[1] + 1e-6
    assert chances[1] <= 1


@pytest.mark.parametrize(
    ("limit", "allowed", "count"), [("max_disagreement", 0.05, 72), ("max_dir", 0.05, 72), ("max_sr", 0.2, 16)]
)
def test_without_any_disagreement_it_is_known_how_many_inputs_a_limit_takes(
    limit: str, allowed: float, count: int
) -> None:
    ends = more_inputs.WITHOUT[limit]
    assert fewest_without(allowed, ends) == count
    assert ends(0.0, count)[1] < allowed <= ends(0.0, count - 1)[1]
    assert fewest_without(0.0, ends) is None


def _of_inputs(rng: np.random.Generator, true: float, count: int) -> np.ndarray:
    return (rng.random((count, 1)) < true).astype(np.float64)


def _of_labels(rng: np.random.Generator, true: float, count: int) -> np.ndarray:
    drawn = rng.random(count)
    return np.stack([drawn < true + 0.02, drawn > 0.98], axis=1).astype(np.float64)


def _of_changes(rng: np.random.Generator, true: float, count: int) -> np.ndarray:
    """Changes of seed inputs: half of the disagreements come from a few on which all changes disagree."""
    shares = np.where(rng.random(count) < true / 2, 1.0, true / 2)
    return rng.binomial(EACH, shares).astype(np.float64)[:, None]


def _seen(kind: str, rows: np.ndarray) -> tuple[Rate, int]:
    count, sums = len(rows), rows.sum(axis=0)
    if kind == "changes":
        return rate(*clustered(rows[:, 0], np.full(count, EACH))), int((rows[:, 0] > 0).sum())
    if kind == "drop":
        return rate(*drop(int(sums[0]), int(sums[1]), count)), int(sums[0])
    share = float(sums[0] / count)
    return rate(share, *(wilson(sums[0], count) if kind == "searches" else clopper_pearson(share, count))), int(sums[0])


@cache
def _needed(kind: str, seen: Rate, count: int, gained: float) -> Needed:
    if kind == "changes":
        return needed_clusters(seen, ALLOWED, count)
    of_kind: dict[str, more_inputs.Ends] = {
        "searches": more_inputs.of_searches,
        "drop": partial(more_inputs.of_drop, gained=gained),
    }
    return needed(seen, ALLOWED, count, of_kind.get(kind, more_inputs.of_inputs))


def _decided(kind: str, rows: np.ndarray) -> bool:
    seen, events = _seen(kind, rows)
    assert seen.low is not None
    assert seen.high is not None
    return seen.high < ALLOWED or (seen.low > ALLOWED and events >= more_inputs.FEWEST)


@pytest.mark.parametrize(
    ("kind", "draw", "count", "pairs"),
    [
        ("inputs", _of_inputs, 40, 400),
        ("inputs", _of_inputs, 200, 400),
        ("searches", _of_inputs, 100, 300),
        ("drop", _of_labels, 200, 200),
        pytest.param("changes", _of_changes, 60, 60, marks=pytest.mark.slow),
    ],
)
def test_the_range_holds_what_nine_of_ten_simulated_pairs_need(kind: str, draw: Draw, count: int, pairs: int) -> None:
    rng, held, open_pairs = np.random.default_rng(1), 0, 0
    for _ in range(pairs):
        true = rng.uniform(0.001, 3 * ALLOWED)
        rows = draw(rng, true, count)
        if _decided(kind, rows):
            continue
        open_pairs += 1
        least, most = _needed(kind, _seen(kind, rows)[0], count, rows[:, -1].sum() / count)
        assert least is not None
        assert least > count
        assert (most or least) >= least
        # The same pair, looked at with more inputs.
        rows = np.concatenate([rows, draw(rng, true, (most or least) - count)])
        early = least - 1 > count and _decided(kind, rows[: least - 1])
        held += not early and (most is None or _decided(kind, rows))
    assert open_pairs > pairs / 5
    assert held >= 0.9 * open_pairs


@pytest.mark.slow
def test_ranges_of_one_pair_from_few_and_from_many_seed_inputs_have_numbers_in_common() -> None:
    rng, apart = np.random.default_rng(2), 0
    for _ in range(6):
        rows = _of_changes(rng, 0.04, 500)
        ranges = [_needed("changes", _seen("changes", rows[:some])[0], some, 0.0) for some in (60, 500)]
        least, most = (max(least or 0 for least, _ in ranges), min(most or np.inf for _, most in ranges))
        apart += least > most
    assert apart <= 1


def test_what_cannot_be_said_is_not_said() -> None:
    share, nothing = 0.0499, clean(np.zeros(500), np.zeros(500), None, [])
    seen = Rate(share, *clopper_pearson(share, 10_000))
    [found] = judged(replace(nothing, disagreement=seen, disagreeing=499), 10_000, [], Limits(ALLOWED, None, None))
    assert (found.verdict, found.needed, found.seeds) == ("inconclusive", None, None)
    assert found.needed_least
    assert "how many inputs would decide cannot be said, but fewer than " in found.text
    alone = OfTool("Sampling", True, 1, 0, Rate(0.0, None, None), Rate(0.0, None, None))
    [_, found] = judged(nothing, 500, [alone], Limits(ALLOWED, None, ALLOWED))
    assert (found.needed, found.needed_least) == (None, None)
    assert found.text.endswith("how many seed inputs would decide cannot be said")
