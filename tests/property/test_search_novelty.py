"""The search for near points is exact: it admits what comparing all pairs admits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from quantrift.core.search.novelty import Seen


def by_brute_force(first: np.ndarray, batches: list[np.ndarray], threshold: float) -> list[list[int]]:
    known, admitted = [first.astype(np.float64)], []
    for batch in batches:
        own = []
        for number, point in enumerate(batch.astype(np.float64)):
            if min(np.sum(np.square(point - other)) for other in known) > threshold:
                known.append(point)
                own.append(number)
        admitted.append(own)
    return admitted


@st.composite
def histories(draw: st.DrawFn) -> tuple[np.ndarray, list[np.ndarray]]:
    """Points on a coarse grid, so that many lie exactly at the threshold."""
    dimensions = draw(st.integers(1, 5))
    values = st.integers(-6, 6).map(lambda number: number / 4)
    first = draw(arrays.arrays(np.float32, dimensions, elements=values))
    shapes = st.tuples(st.integers(0, 12), st.just(dimensions))
    batches = draw(
        st.lists(shapes.flatmap(lambda shape: arrays.arrays(np.float32, shape, elements=values)), max_size=6)
    )
    return first, batches


@given(histories(), st.sampled_from([0.0, 0.25, 1.0, 2.5]))
def test_what_is_admitted_is_what_comparing_all_pairs_admits(
    history: tuple[np.ndarray, list[np.ndarray]], threshold: float
) -> None:
    first, batches = history
    seen = Seen(threshold, first)
    admitted = [seen.admit(batch).tolist() for batch in batches]
    assert admitted == by_brute_force(first, batches, threshold)
    assert len(seen) == 1 + sum(map(len, admitted))


@pytest.mark.parametrize("spread", [0.3, 1.0, 5.0])
def test_logits_in_many_batches_are_admitted_as_by_comparing_all_pairs(spread: float) -> None:
    rng = np.random.default_rng(0)
    batches = [rng.normal(scale=spread, size=(100, 10)).astype(np.float32) for _ in range(5)]
    seen = Seen(1.0, np.zeros(10, np.float32))
    admitted = [seen.admit(batch).tolist() for batch in batches]
    assert admitted == by_brute_force(np.zeros(10, np.float32), batches, 1.0)
    assert 1 < len(seen) <= 501
