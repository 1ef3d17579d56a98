"""Intervals of ranks are over networks, and differences of ranks are paired."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from tests.factories.checked_pairs import row

from quantrift.core.statistics import checker_figures
from quantrift.core.statistics.checker_figures import About, OfChecker, Row, summaries

ABOUT = {name: About(name, "", names_layer=False, missing=None) for name in ("one", "other")}


def of(rows: Sequence[Row]) -> tuple[OfChecker, OfChecker]:
    found = {one.name: one for one in summaries(rows, ABOUT)}
    return found["one"], found["other"]


def network(name: str, one: list[float], other: list[float]) -> list[Row]:
    """Two good pairs that both score 0 and 1, and planted ones."""
    good = [row(name, None, "good", None, one=score, other=score) for score in (0.0, 1.0)]
    return [*good, *(row(name, 0.1, "broken", None, one=a, other=b) for a, b in zip(one, other, strict=True))]


def test_ranks_are_those_of_all_comparisons_and_their_interval_is_over_networks() -> None:
    rows = [*network("a", [2.0, 2.0], [2.0, 0.5]), *network("b", [2.0], [2.0]), *network("c", [0.5], [0.5])]
    one, other = of(rows)
    found = checker_figures.ranked_share(rows, one)
    assert found.share == pytest.approx(one.ranked) == pytest.approx(7 / 8)
    # A network alone ranks all rightly or half of them.
    assert found.low < 7 / 8 < found.high
    assert found.low >= 0.5 - 1e-9
    assert checker_figures.ranked_share(rows, other).share == pytest.approx(6 / 8)


def test_a_difference_is_of_the_same_pairs() -> None:
    rows = [*network("a", [2.0, 2.0], [2.0, 0.5]), *network("b", [2.0], [2.0]), *network("c", [0.5], [0.5])]
    one, other = of(rows)
    difference, low, high = checker_figures.ranked_more(rows, one, other)
    assert difference == pytest.approx(1 / 8)
    assert low <= difference <= high
    assert np.allclose(checker_figures.ranked_more(rows, other, one), (-difference, -high, -low))
    # What only one of them scored is left out of both.
    rows.append(row("b", 0.1, "broken", None, one=0.5, other=None))
    assert checker_figures.ranked_more(rows, *of(rows))[0] == pytest.approx(1 / 8)


def test_a_checker_has_no_difference_to_itself_and_two_networks_have_no_interval() -> None:
    rows = [*network("a", [2.0], [0.5]), *network("b", [2.0], [2.0])]
    one, other = of(rows)
    assert checker_figures.ranked_more(rows, one, one)[0] == 0
    difference, low, high = checker_figures.ranked_more(rows, one, other)
    assert difference == pytest.approx(1 / 4)
    assert math.isnan(low)
    assert math.isnan(high)


def test_without_a_comparison_there_is_nothing_to_tell() -> None:
    rows = [row("a", 0.1, "broken", None, one=1.0, other=1.0)]
    one, other = of(rows)
    assert math.isnan(checker_figures.ranked_share(rows, one).share)
    assert all(map(math.isnan, checker_figures.ranked_more(rows, one, other)))
