"""Boxes of 8-bit images, and kinds of neighbourhoods that are made of them, too large to enumerate."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from quantrift.core.search.neighbourhood import Shape, whole

SMALL = 256
"""Boxes of so many images are enumerated instead of bounded."""


@dataclass(frozen=True, eq=False)
class ImageBox:
    """All images with values from ``low`` to ``high``."""

    low: np.ndarray
    """uint8 (H, W, C)."""
    high: np.ndarray
    """uint8 (H, W, C), nowhere less than ``low``."""

    @property
    def size(self) -> int:
        """Number of images."""
        return prod((self.high.astype(int) - self.low + 1).ravel().tolist())

    @property
    def wide(self) -> np.ndarray:
        """Numbers of the values that are not fixed, int64 (k,), in the order of memory."""
        return np.flatnonzero(self.high > self.low)

    def contains(self, image: np.ndarray) -> bool:
        """Whether an image, uint8 (H, W, C), is one of them."""
        return bool(((self.low <= image) & (image <= self.high)).all())

    def members(self) -> np.ndarray:
        """All images, uint8 (size, H, W, C); for small boxes."""
        wide = self.wide
        found = np.repeat(self.low[None], self.size, axis=0)
        ends = zip(self.low.flat[wide].tolist(), self.high.flat[wide].tolist(), strict=True)
        found.reshape(len(found), -1)[:, wide] = list(product(*(range(low, high + 1) for low, high in ends)))
        return found

    def drawn(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Images drawn evenly from the box, uint8 (count, H, W, C)."""
        return rng.integers(self.low, self.high, (count, *self.low.shape), np.uint8, endpoint=True)

    def corner(self, rising: np.ndarray) -> np.ndarray:
        """The image with the upper level where ``rising``, bool (k,), holds of the values that are not fixed."""
        found = self.low.copy()
        found.flat[self.wide[rising]] = self.high.flat[self.wide[rising]]
        return found

    def halves(self, value: int) -> tuple["ImageBox", "ImageBox"]:
        """Two boxes that hold the same images together, cut at a value, given by its number in memory."""
        middle = (int(self.low.flat[value]) + int(self.high.flat[value])) // 2
        lower, upper = self.high.copy(), self.low.copy()
        lower.flat[value], upper.flat[value] = middle, middle + 1
        return ImageBox(self.low, lower), ImageBox(upper, self.high)


@dataclass(frozen=True, eq=False)
class Boxes:
    """Images that lie in at least one of some boxes, numbered 0 to ``size - 1``, around an image of a shape."""

    text: str
    """The neighbourhood as a user writes it, with every default filled in."""
    size: int
    box: Callable[[np.ndarray, int], ImageBox]
    """A box around an image, uint8 (H, W, C), by the number of the box; the image lies in it."""

    def contains(self, image: np.ndarray, member: np.ndarray) -> bool:
        """Whether another image, uint8 (H, W, C), is a member of the neighbourhood of an image."""
        return any(self.box(image, number).contains(member) for number in range(self.size))


def _linf(size: str | None, shape: Shape) -> Boxes:
    """All images whose every value is within a few levels of the image's own: a ball of the L-infinity norm."""
    levels = whole("linf", size and size.removesuffix("/255"), 1, 255)

    def box(image: np.ndarray, number: int) -> ImageBox:
        # Values stop at black and white.
        low, high = (np.clip(image.astype(int) + by, 0, 255).astype(np.uint8) for by in (-levels, levels))
        return ImageBox(low, high)

    return Boxes(f"linf={levels}", 1, box)


def _patch(size: str | None, shape: Shape) -> Boxes:
    """All images that differ within one square patch; every place of its first pixel, as in memory, is a box."""
    side = whole("patch", size, 1, min(shape[:2]))
    down, right = (length - side + 1 for length in shape[:2])

    def box(image: np.ndarray, number: int) -> ImageBox:
        row, column = divmod(number, right)
        low, high = image.copy(), image.copy()
        part = slice(row, row + side), slice(column, column + side)
        low[part], high[part] = 0, 255
        return ImageBox(low, high)

    return Boxes(f"patch={side}", down * right, box)


KINDS: Mapping[str, tuple[str, str, Callable[[str | None, Shape], Boxes]]] = {
    "linf": (
        "linf[=LEVELS]",
        "each value changes by up to LEVELS of 8 bits on its own (1); also LEVELS/255; not enumerated, but bounded",
        _linf,
    ),
    "patch": (
        "patch[=SIDE]",
        "all values of all pixels of any one SIDE x SIDE patch (1); not enumerated, but bounded",
        _patch,
    ),
}
"""Name of a kind -> how it is written, its meaning with its default in parentheses, and the function that makes it from
the text behind ``=``, or None, and the shape of images."""
