"""Random changes of training images that keep their class (He et al. 2016, Section 4.2)."""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

MARGIN = 4
"""Largest shift of an image, in pixels."""


def augmented(images: NDArray[np.float32], changes: Collection[str], rng: np.random.Generator) -> NDArray[np.float32]:
    """Images (n, H, W, C) float32 changed at random, each for itself; a new array where anything changes.

    Args:
        images: the images.
        changes: ``mirror`` swaps left and right half of the time; ``shift`` moves an image by up to 4 pixels along
            both axes, with zeros where nothing comes in.
        rng: source of the draws.
    """
    number, rows, columns, _ = images.shape
    if "mirror" in changes:
        images = np.where(rng.random((number, 1, 1, 1)) < 0.5, images[:, :, ::-1], images)
    if "shift" in changes:
        padded = np.pad(images, ((0, 0), (MARGIN, MARGIN), (MARGIN, MARGIN), (0, 0)))
        top, left = rng.integers(0, 2 * MARGIN + 1, (2, number, 1, 1))
        row, column = np.arange(rows)[:, None], np.arange(columns)
        images = padded[np.arange(number)[:, None, None], top + row, left + column]
    return images
