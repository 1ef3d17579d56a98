"""Splits of a scene into square blocks, so that no test pixel lies in the patch of a training pixel."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter
from tqdm import tqdm

from quantrift.core.base.errors import QuantriftError

Integers = NDArray[np.int64]

STARTS = 10
"""Random divisions of the blocks that are improved, of which the best is kept."""
SHARE_WEIGHT = 10.0
"""Weight of the share of all test pixels against that of one class, so that it comes out within a few per cent."""


def spatial_blocks(
    labels: Integers,
    positions: Integers,
    patch: int,
    share: float,
    block: int,
    seed: int,
    class_names: Sequence[str],
) -> tuple[Integers, Integers]:
    """Training and test inputs, sorted int64 numbers, from blocks that train or test as a whole.

    Each of several random divisions is improved by moving one block at a time to the other side, as long as that
    brings more classes to both sides or shares nearer to the wanted ones; labels and places alone decide. A training
    input whose patch holds a test pixel belongs to neither part. A class that lies in one block cannot be on both
    sides: that is an error.

    Args:
        labels: (n,) int64, 0-based class of each labelled pixel.
        positions: (n, 2) int64, its row and column.
        patch: side of a patch, in pixels; odd.
        share: wanted share of test pixels, of each class and of all.
        block: side of a block, in pixels.
        seed: seed of the divisions.
        class_names: name of each class; one may have no pixels.

    Raises:
        QuantriftError: when a class that occurs would be missing from a part.
    """
    _, block_of = np.unique(positions // block, axis=0, return_inverse=True)
    held = np.zeros((block_of.max() + 1, len(class_names)), np.int64)
    np.add.at(held, (block_of, labels), 1)
    in_one = np.flatnonzero(np.count_nonzero(held, axis=0) == 1)
    if len(in_one):
        raise QuantriftError(
            f"class '{class_names[in_one[0]]}' lies in one block of {block}x{block} pixels, which cannot both train "
            "and test; take smaller blocks or leave the class unlabelled"
        )
    reached = _reached(positions, block_of, patch // 2)
    rng = np.random.default_rng(seed)
    starts = tqdm(range(STARTS), desc="dividing blocks", delay=5)
    divisions = [_division(labels, held, reached, share, rng) for _ in starts]
    _, hits, tests = min(divisions, key=lambda division: division[0])
    train, test = np.flatnonzero(hits == 0), np.flatnonzero(tests[block_of])
    for name, part in (("training", train), ("test", test)):
        missing = np.setdiff1d(labels, labels[part])
        if len(missing):
            raise QuantriftError(
                f"class '{class_names[missing[0]]}' has no {name} pixel in blocks of {block}x{block} pixels, with "
                f"patches of {patch}x{patch} that hold no test pixel; change block, test or seed, or leave the class "
                "unlabelled"
            )
    return train, test


def _reached(positions: Integers, block_of: Integers, margin: int) -> list[Integers]:
    """For each block the numbers of the pixels, its own among them, whose patch holds a labelled pixel of it."""
    number = np.full(positions.max(axis=0) + 1 + 2 * margin, -1)
    number[tuple(positions.T + margin)] = np.arange(len(positions))
    members = np.split(np.argsort(block_of, kind="stable"), np.cumsum(np.bincount(block_of))[:-1])
    found = []
    for own in members:
        first, last = positions[own].min(axis=0), positions[own].max(axis=0)
        near = np.zeros(last - first + 1 + 2 * margin, bool)
        near[tuple((positions[own] - first + margin).T)] = True
        near = maximum_filter(near, 2 * margin + 1, mode="constant")
        # In the padded scene, the window begins where the block's first labelled pixel lies in the scene itself.
        window = number[tuple(slice(start, start + size) for start, size in zip(first, near.shape, strict=True))]
        found.append(window[near & (window >= 0)])
    return found


def _division(
    labels: Integers, held: Integers, reached: list[Integers], share: float, rng: np.random.Generator
) -> tuple[float, Integers, NDArray[np.bool_]]:
    """A division that no single block improves: its cost, test blocks that reach each pixel, which blocks test."""
    blocks, classes = held.shape
    tests: NDArray[np.bool_] = np.less(rng.random(blocks), share)
    hits = np.zeros(len(labels), np.int64)
    for block in np.flatnonzero(tests):
        hits[reached[block]] += 1
    trained = np.bincount(labels[hits == 0], minlength=classes)
    tested = held[tests].sum(axis=0)
    total = held.sum(axis=0)
    cost = _cost(trained, tested, total, share)
    improves = True
    while improves:
        improves = False
        for block in rng.permutation(blocks):
            step = -1 if tests[block] else 1
            near = reached[block]
            # Pixels that no test block reaches without this one.
            turned = near[hits[near] == tests[block]]
            other_trained = trained - step * np.bincount(labels[turned], minlength=classes)
            other_tested = tested + step * held[block]
            other = _cost(other_trained, other_tested, total, share)
            if other < cost:
                cost, trained, tested, improves = other, other_trained, other_tested, True
                tests[block] = not tests[block]
                hits[near] += step
    return cost, hits, tests


def _cost(trained: Integers, tested: Integers, total: Integers, share: float) -> float:
    """Classes missing from a part, then the distance of all shares from the wanted ones."""
    occurs = total > 0
    trained, tested, total = trained[occurs], tested[occurs], total[occurs]
    missing = np.count_nonzero(trained == 0) + np.count_nonzero(tested == 0)
    unequal = np.mean((tested / total - share) ** 2 + (trained / total - (1 - share)) ** 2)
    return float(missing + unequal + SHARE_WEIGHT * (tested.sum() / total.sum() - share) ** 2)
