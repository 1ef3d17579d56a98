"""Cheap random choices are as likely as they should be, and one by one independent."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantrift.core.search.searchers.diffchaser import coins, crossed, rare

seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("probability", [0, 0.03, 0.5, 0.7, 1])
def test_each_place_is_chosen_as_often_as_its_probability_says(probability: float) -> None:
    rng = np.random.default_rng(0)
    drawn = np.stack([coins((40, 27), probability, rng) for _ in range(2000)])
    assert drawn.dtype == bool
    limit = 6 * np.sqrt(probability * (1 - probability) / 2000)
    assert np.abs(drawn.mean(axis=0) - probability).max() <= limit
    # Neighbours along a row, down a column and from draw to draw know nothing of each other.
    for one, other in ((drawn[:, :, 1:], drawn[:, :, :-1]), (drawn[:, 1:], drawn[:, :-1]), (drawn[1:], drawn[:-1])):
        assert abs((one & other).mean() - probability**2) < 0.002


@pytest.mark.parametrize("probability", [0.0, 1e-9, 0.01, 0.4, 1.0])
def test_rare_places_are_chosen_as_often_as_their_probability_says(probability: float) -> None:
    rng = np.random.default_rng(0)
    counts = np.zeros(300, int)
    pairs = 0
    for _ in range(4000):
        places = rare(300, probability, rng)
        assert np.all(np.diff(places) > 0)
        counts[places] += 1
        pairs += int((np.diff(places) == 1).sum())
    limit = 6 * np.sqrt(probability * (1 - probability) * 4000) + 1
    assert np.abs(counts - 4000 * probability).max() <= limit
    assert abs(pairs / (4000 * 299) - probability**2) < 0.002


@given(seed=seeds, count=st.integers(0, 500), probability=st.floats(0, 1))
@settings(max_examples=100)
def test_rare_places_lie_among_those_there_are(seed: int, count: int, probability: float) -> None:
    places = rare(count, probability, np.random.default_rng(seed))
    assert np.all((places >= 0) & (places < count))
    assert len(np.unique(places)) == len(places)


@given(seed=seeds, rows=st.integers(1, 9), genes=st.integers(1, 33))
@settings(max_examples=60)
def test_crossed_values_are_those_of_where_bit_for_bit(seed: int, rows: int, genes: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 2**32, (2, rows, genes), np.uint32).view(np.float32)
    chosen = coins((rows, genes), 0.5, rng)
    wanted = np.where(chosen, second.view(np.uint32), first.view(np.uint32))
    assert crossed(first.copy(), second.copy(), chosen).tobytes() == wanted.tobytes()
