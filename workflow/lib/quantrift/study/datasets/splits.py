"""Seeded splits of labelled pixels: at random, stratified, with the sizes of DiverGet's Table 2, or by blocks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from quantrift.core.base.errors import QuantriftError
from quantrift.core.settings.scene_networks import SceneSplit
from quantrift.study.datasets.spatial_blocks import spatial_blocks

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
    nowhere = np.empty(0, np.int64)
    if settings.kind == "spatial_blocks":
        test_share, block = settings.test or 0, settings.block or 1
        train, test = spatial_blocks(labels, positions, patch, test_share, block, settings.seed, class_names)
        return Split(train, nowhere, test)
    if settings.kind == "per_class":
        shares = [settings.train, settings.validation or 0, None]
        return Split(*shares_of_each_class(labels, shares, settings.seed, class_names))
    train, test = _share_of_all(labels, settings.test or 0, settings.seed, class_names)
    return Split(train, nowhere, test)


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
    sizes = np.array([math.floor(n) for n in exact])
    missing = _ceil(share, len(labels)) - int(sizes.sum())
    by_remainder = sorted(range(len(exact)), key=lambda label: math.floor(exact[label]) - exact[label])
    sizes[by_remainder[:missing]] += 1
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
