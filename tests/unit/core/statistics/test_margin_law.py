"""The margin law foretells how often two networks disagree, with an interval, and says where it does not hold."""

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from quantrift.core.statistics import margin_law
from quantrift.core.statistics.margin_files import Margins, margins
from quantrift.core.statistics.margin_law import predicted

SHAPES = {
    "falling": (lambda rng, count: rng.exponential(5, count), lambda m: np.exp(-m / 5) / 5),
    "flat": (lambda rng, count: rng.uniform(0, 10, count), lambda _: 0.1),
    # As of trained networks: twenty times as many inputs at 15 as at the boundary.
    "rising": (
        lambda rng, count: 5 * np.log1p(rng.uniform(0, np.expm1(3), count)),
        lambda m: np.exp(m / 5) / 5 / np.expm1(3),
    ),
}
"""Margins, and their density."""


def drawn(shape: str, spread: float, count: int, rng: np.random.Generator) -> Margins:
    margin, change = SHAPES[shape][0](rng, count), rng.normal(0, spread, count)
    return Margins(margin, change, margin + change < 0)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("spread", [1e-5, 0.01, 0.2])
def test_the_rate_is_that_of_the_truth_and_varies_less_than_counting(shape: str, spread: float) -> None:
    rng = np.random.default_rng(0)
    density = SHAPES[shape][1]
    truth, _ = scipy.integrate.quad(lambda z: spread * density(spread * z) * scipy.stats.norm.cdf(-z), 0, 10)
    samples = [drawn(shape, spread, 400, rng) for _ in range(25)]
    found = [predicted(one) for one in samples]
    rates = np.array([one.rate for one in found])
    assert rates.mean() == pytest.approx(truth, rel=0.15)
    # A count of 400 has the standard deviation of a binomial.
    assert rates.std() < np.sqrt(truth * (1 - truth) / 400) / 1.4
    assert np.mean([one.low <= truth <= one.high for one in found]) >= 0.8
    assert not any(one.refused for one in found)


def test_it_looks_at_no_label() -> None:
    one = drawn("flat", 0.2, 400, np.random.default_rng(1))
    assert predicted(one) == predicted(Margins(one.margin, one.change, ~one.differs))


def test_networks_that_compute_the_same_disagree_never() -> None:
    margin = np.random.default_rng(2).exponential(1, 400)
    found = predicted(Margins(margin, np.zeros(400), np.zeros(400, bool)))
    assert (found.rate, found.low, found.high) == (0, 0, 0)


@given(st.integers(0, 1000), st.floats(0.01, 100))
@settings(max_examples=20)
def test_the_unit_of_the_logits_does_not_matter(seed: int, unit: float) -> None:
    one = drawn("rising", 0.1, 200, np.random.default_rng(seed))
    rate = predicted(one).rate
    assert predicted(Margins(one.margin * unit, one.change * unit, one.differs)).rate == pytest.approx(rate, rel=1e-6)


def test_margins_are_of_the_original_s_two_first_classes() -> None:
    original = np.array([[3.0, 1.0, 2.5], [0.0, 4.0, 4.0]], np.float32)
    compressed = np.array([[2.0, 5.0, 3.0], [0.0, 4.0, 4.5]], np.float32)
    found = margins(original, compressed)
    assert found.margin.tolist() == [0.5, 0]
    assert found.change.tolist() == [-1.5, -0.5]
    assert found.differs.tolist() == [True, True]


def test_outputs_of_few_levels_are_refused() -> None:
    rng = np.random.default_rng(3)
    margin = np.round(rng.exponential(5, 400))
    found = predicted(Margins(margin, rng.normal(0, 0.1, 400), np.zeros(400, bool)))
    assert np.isnan(found.rate)
    assert found.refused == "many margins are equal: the original's outputs have few levels"


def test_few_inputs_are_refused_and_large_errors_named() -> None:
    rng = np.random.default_rng(4)
    assert predicted(drawn("flat", 0.1, 29, rng)).refused == "there are 29 inputs; 30 are needed"
    assert "errors are larger" in predicted(drawn("flat", 20, 400, rng)).refused


def test_clusters_widen_the_interval() -> None:
    rng = np.random.default_rng(5)
    one = drawn("flat", 0.1, 100, rng)
    tenfold = Margins(*(np.repeat(values, 10) for values in (one.margin, one.change, one.differs)))
    tenfold.margin[:] += rng.uniform(0, 1e-9, 1000)
    alone, together = predicted(tenfold), predicted(tenfold, np.repeat(np.arange(100), 10))
    assert alone.rate == together.rate
    assert together.high - together.low > 2 * (alone.high - alone.low)


def test_the_density_at_the_boundary_is_that_of_an_exponential() -> None:
    rng = np.random.default_rng(6)
    found = predicted(drawn("falling", 0.01, 100_000, rng))
    assert found.density == pytest.approx(1 / 5, rel=0.03)
    assert found.error == pytest.approx(0.01 / np.sqrt(2 * np.pi), rel=0.03)
    assert found.near == np.ceil(margin_law.NEAR * 100_000)
