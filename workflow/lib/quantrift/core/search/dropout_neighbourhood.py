"""All combinations of drop-out lines: some rows or some columns take the image's least or greatest value."""

from math import comb

import numpy as np

from quantrift.core.search.distortions import dropout
from quantrift.core.search.distortions.patch_distortion import Batch
from quantrift.core.search.neighbourhood import Neighbourhood, Shape
from quantrift.core.search.space import Originals


class Dropout(Neighbourhood):
    """Parameters: whether columns, whether bright, and the lines, -1 where there are fewer; no line comes first."""

    def __init__(self, most: int, shape: Shape) -> None:
        self._most = most
        self._blocks = [(0, 0, 0), *((*kind, lines) for lines in range(1, most + 1) for kind in np.ndindex(2, 2))]
        """Whether columns, whether bright and number of lines of members that stand together."""
        self._sides = shape[:2]
        counts = [comb(self._sides[columns], lines) for columns, _, lines in self._blocks]
        self._ends = np.cumsum(counts)
        names = ("columns", "bright", *(f"line{place + 1}" for place in range(most)))
        super().__init__(f"dropout={most}", names, [sum(counts)])

    def parameters(self, numbers: np.ndarray) -> np.ndarray:
        """See :class:`quantrift.core.search.neighbourhood.Neighbourhood`."""
        found = np.full((len(numbers), 2 + self._most), -1.0)
        block = np.searchsorted(self._ends, numbers, side="right")
        for place in np.unique(block).tolist():
            columns, bright, lines = self._blocks[place]
            own = block == place
            found[own, :2] = columns, bright
            within = numbers[own] - (self._ends[place - 1] if place else 0)
            found[own, 2 : 2 + lines] = combinations(within, lines, self._sides[columns])
        return found

    def apply(self, images: np.ndarray, parameters: np.ndarray) -> np.ndarray:
        """See :class:`quantrift.core.search.neighbourhood.Neighbourhood`."""
        count, channels = len(images), images.shape[3]
        columns, bright = parameters[:, :2].T.astype(bool)
        lines = parameters[:, 2:].astype(np.int64)
        patches = images.astype(np.float32)
        every = np.arange(count)
        batch = Batch(parameters, every, ~columns, patches, Originals(patches.copy()), every)
        pixels = dropout.along(batch, _switched(np.maximum(lines, 0), lines >= 0))
        bands = np.tile(np.arange(channels), (count, 1))
        dropout.fill(batch, pixels, _switched(bands, np.ones_like(bands)), bright)
        return patches.astype(np.uint8)


def combinations(numbers: np.ndarray, size: int, among: int) -> np.ndarray:
    """Combinations by their numbers, in colexicographic order.

    Args:
        numbers: int64 (n,), 0 to C(among, size) - 1.
        size: members of a combination.
        among: numbers that it is chosen of, 0 to ``among - 1``.

    Returns:
        int64 (n, size), each row descending.
    """
    left = numbers.copy()
    found = np.empty((len(numbers), size), np.int64)
    for place, members in enumerate(range(size, 0, -1)):
        # As many combinations have their largest member below each number.
        below = np.array([comb(number, members) for number in range(among + 1)])
        found[:, place] = np.searchsorted(below, left, side="right") - 1
        left -= below[found[:, place]]
    return found


def _switched(index: np.ndarray, on: np.ndarray) -> np.ndarray:
    """(index, on) pairs in turn, int64 (n, 2 * k), as the distortion takes them."""
    return np.stack([index, on], axis=2).reshape(len(index), -1)
