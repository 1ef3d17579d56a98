"""Intervals of shares over clusters, and of differences of paired shares."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from quantrift.core.statistics.clustered import clopper_pearson, clustered, effective
from quantrift.core.statistics.intervals import drop


@given(st.integers(0, 50), st.integers(1, 200))
def test_of_whole_counts_it_is_the_exact_interval_of_scipy(hits: int, more: int) -> None:
    count = hits + more
    expected = stats.binomtest(hits, count).proportion_ci(0.95, "exact")
    assert clopper_pearson(hits / count, count) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_independent_cases_count_as_many_and_copies_as_one() -> None:
    rng = np.random.default_rng(0)
    single = (rng.random(400) < 0.2).astype(float)
    share, cases = effective(single, np.ones(400))
    assert share == single.mean()
    assert 380 < cases <= 400
    # Forty copies of each case tell no more than the case.
    copied, of_copies = effective(40 * single, np.full(400, 40))
    assert copied == share
    assert of_copies == pytest.approx(cases, rel=0.02)


def test_without_events_clusters_are_the_cases() -> None:
    share, low, high = clustered(np.zeros(100), np.full(100, 50))
    assert (share, low) == (0, 0)
    assert high == pytest.approx(1 - 0.025 ** (1 / 100))


@pytest.mark.parametrize("clusters", [0, 1])
def test_one_cluster_has_no_interval(clusters: int) -> None:
    assert np.isnan(clustered(np.ones(clusters), np.full(clusters, 9))[1:]).all()


@pytest.mark.parametrize("clusters", [5, 30, 300])
@pytest.mark.parametrize(("share", "spread"), [(0.02, 0.1), (0.05, 0.5), (0.05, 9.0), (0.3, 2.0), (0.9, 2.0)])
def test_each_end_of_a_clustered_interval_misses_the_true_share_rarely(
    share: float, spread: float, clusters: int
) -> None:
    rng = np.random.default_rng(1)
    above = below = 0
    for _ in range(400):
        own = rng.beta(spread * share, spread * (1 - share), clusters)
        trials = rng.integers(5, 60, clusters)
        _, low, high = clustered(rng.binomial(trials, own), trials)
        above += low > share
        below += high < share
    # Of 400 tries at 2.5 %, more than 4.5 % would come once in a hundred times.
    assert above / 400 < 0.045
    assert below / 400 < 0.045


def test_many_cases_of_a_cluster_raise_the_lower_end_and_leave_the_upper_end_to_the_number_of_clusters() -> None:
    rng = np.random.default_rng(2)
    trials = np.full(200, 50)
    share, low, high = clustered(rng.binomial(trials, 0.07), trials)
    # 200 clusters alone would leave 3.9 %, 10,000 independent cases 6.5 %.
    assert low > 0.06
    assert high == pytest.approx(clopper_pearson(share, 200)[1])
    of_others = clustered(trials - rng.binomial(trials, 0.07), trials)
    assert of_others[2] < 0.94
    assert of_others[1] < 0.90


@pytest.mark.parametrize(("lost", "gained"), [(0.0, 0.0), (0.02, 0.01), (0.1, 0.1), (0.3, 0.05)])
def test_intervals_of_drops_cover_the_true_drop(lost: float, gained: float) -> None:
    rng = np.random.default_rng(2)
    covered = 0
    for _ in range(1000):
        a, b, _ = rng.multinomial(200, [lost, gained, 1 - lost - gained])
        fall, low, high = drop(int(a), int(b), 200)
        assert low <= high
        assert fall == (a - b) / 200
        covered += low <= lost - gained <= high
    assert covered / 1000 > 0.93


def test_without_inputs_there_is_no_drop() -> None:
    assert np.isnan(drop(0, 0, 0)).all()
