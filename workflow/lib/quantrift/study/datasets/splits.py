"""Seeded splits of labelled pixels: at random, stratified, with the sizes of DiverGet's Table 2, or by blocks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter
from tqdm import tqdm

from quantrift.core.base.errors import QuantriftError
from quantrift.core.settings.scene_networks import SceneSplit

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Split:
    """Disjoint, sorted numbers (int64) of inputs: of all but those that a split by blocks drops.

    ``validation`` is empty where there is none.
    """

    train: Integers
    validation: Integers
    test: Integers


def split(labels: Integers, positions: Integers, patch: int, settings: SceneSplit, class_names: Sequence[str]) -> Split:
    """Divide the labelled pixels of a scene.

    Args:
        labels: (n,) int64, 0-based.
        positions: (n, 2) int64, row and column of each pixel.
        patch: side of the square patch around each pixel, in pixels; odd.
        settings: kind, shares and seed.
        class_names: name of each label; a class may have no pixel.

    Raises:
        QuantriftError: when a class that occurs has too few pixels, or too few blocks, for one of the parts.
    """
    if settings.kind == "per_class":
        shares = [settings.train, settings.validation or 0, None]
        return Split(*shares_of_each_class(labels, shares, settings.seed, class_names))
    share, seed = settings.test or 0, settings.seed
    if settings.kind == "spatial_blocks":
        train, test = spatial_blocks(labels, positions, patch, share, settings.block or 1, seed, class_names)
    else:
        train, test = _share_of_all(labels, share, seed, class_names)
    return Split(train, np.empty(0, np.int64), test)


def shares_of_each_class(
    labels: Integers, shares: Sequence[float | None], seed: int, class_names: Sequence[str]
) -> list[Integers]:
    """Parts with ceil(share) of every class; the one part whose share is None takes the rest.

    Raises:
        QuantriftError: when a class that occurs would be missing from a part whose share is not 0.
    """
    counts = np.bincount(labels, minlength=len(class_names))
    sizes = np.array([[0 if share is None else _ceil(share, n) for share in shares] for n in counts])
    sizes[:, shares.index(None)] = counts - sizes.sum(axis=1)
    return _drawn(labels, sizes, [share != 0 for share in shares], seed, class_names)


def _share_of_all(labels: Integers, share: float, seed: int, class_names: Sequence[str]) -> list[Integers]:
    """The rest, and ceil(share) of all inputs; each class gives its share, the largest remainders are rounded up."""
    counts = np.bincount(labels, minlength=len(class_names))
    exact = [_exact(share) * int(n) for n in counts]
    sizes = np.array(list(map(math.floor, exact)))
    by_remainder = sorted(range(len(exact)), key=lambda label: math.floor(exact[label]) - exact[label])
    sizes[by_remainder[: _ceil(share, len(labels)) - int(sizes.sum())]] += 1
    return _drawn(labels, np.stack([counts - sizes, sizes], axis=1), [True, True], seed, class_names)


def _drawn(
    labels: Integers, sizes: Integers, needed: Sequence[bool], seed: int, class_names: Sequence[str]
) -> list[Integers]:
    """Parts that hold ``sizes[label, part]`` inputs of each class, drawn at random."""
    rng = np.random.default_rng(seed)
    parts: list[list[Integers]] = [[] for _ in needed]
    for label, row in enumerate(sizes):
        members = rng.permutation(np.flatnonzero(labels == label))
        if len(members) and row[list(needed)].min() < 1:
            raise QuantriftError(
                f"class '{class_names[label]}' has {len(members)} labelled inputs, too few for each part of the split; "
                "change its shares or leave the class unlabelled"
            )
        for part, chosen in zip(parts, np.split(members, np.cumsum(row)[:-1]), strict=True):
            part.append(chosen)
    return [np.sort(np.concatenate(part)) for part in parts]


def _ceil(share: float, count: int) -> int:
    return math.ceil(_exact(share) * int(count))


def _exact(share: float) -> Fraction:
    # The decimal that was written, not its binary neighbour: ceil(0.07 * 100) is 8 in floating point.
    return Fraction(str(share))


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
    if len(in_one := np.flatnonzero(np.count_nonzero(held, axis=0) == 1)):
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
        if len(missing := np.setdiff1d(labels, labels[part])):
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
    total = held.sum(axis=0)
    parts = np.bincount(labels[hits == 0], minlength=classes), held[tests].sum(axis=0)
    cost, before = _cost(*parts, total, share), math.inf
    while cost < before:
        before = cost
        for block in rng.permutation(blocks):
            step = -1 if tests[block] else 1
            near = reached[block]
            # Pixels that no test block reaches without this one.
            turned = near[hits[near] == tests[block]]
            others = parts[0] - step * np.bincount(labels[turned], minlength=classes), parts[1] + step * held[block]
            if (other := _cost(*others, total, share)) < cost:
                cost, parts = other, others
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
