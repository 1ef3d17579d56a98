"""Tests over seed inputs: Friedman's over settings, McNemar's over pairs of tools."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantrift.core.statistics.disagreement_tests import friedman, mcnemar


def test_friedmans_statistic_is_that_of_its_formula() -> None:
    # Three settings on four inputs in the same order everywhere: ranks 1, 2, 3, rank sums 4, 8, 12.
    values = np.array([[1, 2, 3], [10, 20, 30], [5, 6, 9], [0, 1, 100]], float)
    found = friedman(values)
    assert found is not None
    assert found[0] == pytest.approx(12 / (4 * 3 * 4) * (16 + 64 + 144) - 3 * 4 * 4)
    assert found[1] == pytest.approx(np.exp(-found[0] / 2))  # Chi-squared with two degrees of freedom.


def test_settings_that_never_differ_give_a_p_of_1() -> None:
    assert friedman(np.repeat([[7.0], [3.0], [9.0]], 4, axis=1)) == (0.0, 1.0)


def test_two_settings_or_one_input_are_no_test() -> None:
    assert friedman(np.ones((5, 2))) is None
    assert friedman(np.ones((1, 5))) is None


def test_mcnemar_looks_at_inputs_where_one_alone_succeeds() -> None:
    first = np.array([True] * 10 + [False, True, False])
    second = np.array([False] * 10 + [True, True, False])
    found = mcnemar(first, second)
    assert (found.first, found.second) == (10, 1)
    # Of 11 fair coins at most one, or at least ten.
    assert found.p == pytest.approx(2 * (1 + 11) / 2**11)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_mcnemar_says_the_same_from_either_side(pairs: list[tuple[bool, bool]]) -> None:
    first, second = np.array(pairs).T
    one, other = mcnemar(first, second), mcnemar(second, first)
    assert (one.first, one.second, one.p) == (other.second, other.first, other.p)
    assert 0 < one.p <= 1
    assert one.first + one.second == sum(a != b for a, b in pairs)
