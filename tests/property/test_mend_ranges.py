"""Ranges of activations by each method of calibration."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from quantrift.judge.mend.ranges import METHODS, Measured

VALUES = arrays(np.float32, st.tuples(st.integers(1, 4), st.integers(2, 30)), elements=st.floats(-100, 100, width=32))


@settings(max_examples=10, deadline=None)
@given(st.lists(VALUES, min_size=1, max_size=3))
def test_extremes_hold_every_value_and_the_other_methods_only_narrow_them(batches: list[np.ndarray]) -> None:
    found = Measured(lambda: [{"a": batch, "shape": np.array([3, len(batch)], np.int32)} for batch in batches])
    low, high = found["min-max"]["a"]
    assert (low, high) == (min(one.min() for one in batches), max(one.max() for one in batches))
    for method in METHODS:
        assert low <= found[method]["a"][0] <= found[method]["a"][1] <= high
        assert found[method]["shape"] == found["min-max"]["shape"]


def test_rare_outliers_are_cut_off_by_percentiles_and_entropy_but_not_by_extremes() -> None:
    values = np.random.default_rng(0).normal(0, 1, (64, 500)).astype(np.float32)
    values[0, 0] = 1000
    found = Measured(lambda: [{"a": values}])
    assert found["min-max"]["a"][1] == 1000
    assert found["percentile 99.9"]["a"][1] < 10
    assert found["percentile 99.99"]["a"][1] < 1000
    assert found["entropy"]["a"][1] < 1000


def test_the_order_of_batches_changes_no_range_even_where_the_first_holds_small_values_alone() -> None:
    small, large = np.full((4, 30), -1 / 3, np.float32), np.zeros((4, 30), np.float32)
    large[1, 7], large[2, 3] = -84.6, 18.7
    batches = [{"a": small}, {"a": large}]
    found, turned = Measured(lambda: batches), Measured(lambda: batches[::-1])
    assert [found[method] for method in METHODS] == [turned[method] for method in METHODS]
