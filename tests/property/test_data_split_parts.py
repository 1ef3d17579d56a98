"""Splits of any labels: disjoint, complete, sorted, stratified and of the stated sizes."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quantrift.core.settings.scene_networks import SceneSplit
from quantrift.study.datasets.splits import Split, split

# Ten of a class leave something for each part at the shares drawn below; 0 is a class that does not occur.
counts = st.lists(st.just(0) | st.integers(10, 200), min_size=2, max_size=10).filter(any)
percent = st.integers(10, 40)


def shuffled_labels(sizes: list[int], seed: int) -> np.ndarray:
    return np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))


def pixel_by_pixel(labels: np.ndarray, settings: SceneSplit, classes: int) -> Split:
    return split(labels, np.zeros((len(labels), 2), np.int64), 25, settings, [str(n) for n in range(classes)])


def assert_partition(parts: Split, size: int) -> None:
    members = [parts.train, parts.validation, parts.test]
    np.testing.assert_array_equal(np.sort(np.concatenate(members)), np.arange(size))
    for part in members:
        assert part.dtype == np.int64
        assert (np.diff(part) > 0).all()


@given(sizes=counts, train=percent, validation=percent, seed=st.integers(0, 2**32))
def test_shares_of_each_class_are_rounded_up(sizes: list[int], train: int, validation: int, seed: int) -> None:
    labels = shuffled_labels(sizes, seed)
    settings = SceneSplit(kind="per_class", train=train / 100, validation=validation / 100, seed=seed)
    parts = pixel_by_pixel(labels, settings, len(sizes))
    assert_partition(parts, len(labels))
    for part, share in ((parts.train, train), (parts.validation, validation)):
        taken = np.bincount(labels[part], minlength=len(sizes))
        np.testing.assert_array_equal(taken, [-(-share * n // 100) for n in sizes])


@given(sizes=counts, test=percent, seed=st.integers(0, 2**32))
def test_share_of_all_is_rounded_up_and_stratified(sizes: list[int], test: int, seed: int) -> None:
    labels = shuffled_labels(sizes, seed)
    settings = SceneSplit(kind="overall", test=test / 100, seed=seed)
    parts = pixel_by_pixel(labels, settings, len(sizes))
    assert_partition(parts, len(labels))
    assert len(parts.validation) == 0
    assert len(parts.test) == -(-test * len(labels) // 100)
    taken = np.bincount(labels[parts.test], minlength=len(sizes))
    for n, k in zip(sizes, taken, strict=True):
        assert math.floor(test * n / 100) <= k <= math.ceil(test * n / 100)
