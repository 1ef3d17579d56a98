"""Boxes of 8-bit images: all images whose every value lies between two levels of its own."""

from dataclasses import dataclass

import numpy as np

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
        found = 1
        for side in (self.high.astype(int) - self.low + 1).ravel().tolist():
            found *= side
        return found

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
        if len(wide):
            axes = [
                np.arange(int(a), int(b) + 1) for a, b in zip(self.low.flat[wide], self.high.flat[wide], strict=True)
            ]
            values = np.stack([grid.ravel() for grid in np.meshgrid(*axes, indexing="ij")], axis=1)
            found.reshape(len(found), -1)[:, wide] = values
        return found

    def drawn(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Images drawn evenly from the box, uint8 (count, H, W, C)."""
        shape = (count, *self.low.shape)
        return rng.integers(self.low, self.high, shape, np.uint8, endpoint=True)

    def corner(self, rising: np.ndarray) -> np.ndarray:
        """The image with the upper level where ``rising``, bool (k,), holds of the values that are not fixed."""
        found = self.low.copy()
        wide = self.wide
        found.flat[wide] = np.where(rising, self.high.flat[wide], self.low.flat[wide])
        return found

    def halves(self, value: int) -> tuple["ImageBox", "ImageBox"]:
        """Two boxes that hold the same images together, cut at a value, given by its number in memory."""
        middle = (int(self.low.flat[value]) + int(self.high.flat[value])) // 2
        lower, upper = self.high.copy(), self.low.copy()
        lower.flat[value], upper.flat[value] = middle, middle + 1
        return ImageBox(self.low, lower), ImageBox(upper, self.high)
