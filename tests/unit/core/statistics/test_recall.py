"""Recall against exhaustive truth, compared with sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantrift.core.base.errors import QuantriftError
from quantrift.core.statistics.intervals import wilson
from quantrift.core.statistics.recall import Disagreements, certified, recall

SEEDS = 6
Event = tuple[int, int]
truths = st.sets(st.tuples(st.integers(0, SEEDS - 1), st.integers(0, 9)))


def events(of: list[Event]) -> Disagreements:
    """Disagreements of (seed, digest), each evaluated at its place in the list."""
    seeds, digests = ([one[part] for one in of] for part in (0, 1))
    return Disagreements(np.array(seeds, np.int64), np.arange(len(of)), np.array(digests, np.uint64))


@given(truth=truths, data=st.data(), queries=st.integers(1, 30))
def test_shares_are_those_of_sets(truth: set[Event], data: st.DataObject, queries: int) -> None:
    chosen = st.lists(st.sampled_from(sorted(truth)), max_size=30) if truth else st.just(list[Event]())
    tool = data.draw(chosen)
    found = recall(events(sorted(truth)), events(tool), np.arange(SEEDS), queries)
    seen = set(tool[:queries])
    there, had = {seed for seed, _ in truth}, {seed for seed, _ in seen}
    assert (found.n_seeds, found.n_inputs) == (len(had), len(seen))
    assert found.success.share == pytest.approx(len(had) / SEEDS)
    assert (found.success.low, found.success.high) == pytest.approx(wilson(len(had), SEEDS))
    if truth:
        assert found.seeds.share == pytest.approx(len(had) / len(there))
        assert (found.seeds.low, found.seeds.high) == pytest.approx(wilson(len(had), len(there)))
        assert found.inputs.share == pytest.approx(len(seen) / len(truth))
    else:
        assert np.isnan([found.seeds.share, found.inputs.share]).all()
    share = certified(events(sorted(truth)), np.arange(SEEDS))
    assert share.share == pytest.approx(1 - len(there) / SEEDS)


@given(tool=st.lists(st.sampled_from([(0, 1), (0, 2), (3, 1), (5, 7)]), max_size=30))
def test_each_input_is_found_at_its_first_evaluation(tool: list[Event]) -> None:
    assert events(tool).found_after().tolist() == sorted(tool.index(one) + 1 for one in set(tool))


def test_the_same_input_of_two_seeds_counts_for_each() -> None:
    found = recall(events([(0, 7), (1, 7)]), events([(1, 7), (1, 7)]), np.arange(2), 10)
    assert (found.n_inputs, found.inputs.share) == (1, 0.5)


def test_what_the_enumeration_does_not_have_is_refused() -> None:
    with pytest.raises(QuantriftError, match="does not have"):
        recall(events([(0, 7)]), events([(0, 8)]), np.arange(2), 10)
