"""Gaussian blur, as of a lens out of focus."""

from math import exp

import numpy as np

from quantrift.core.search.distortions.genes import Setting, up_to
from quantrift.core.search.distortions.image_distortion import Batch, Radiometric, WorkArrays

PLACE = 40
GROUPS = ("default",)
REACH = 5
"""Pixels looked at to each side; 2.5 standard deviations of the widest."""
TOGETHER = 2**16
"""Values computed at once: their products with all weights stay in the processor's caches."""
WORK = WorkArrays()


def bind(setting: Setting) -> Radiometric:
    """Standard deviation in pixels, at most two."""
    return Radiometric([up_to(2.0 * setting.strength)], apply)


def apply(batch: Batch) -> None:
    """Blur along lines, then along columns; images go on as their edges are."""
    taps = [
        [exp(-(step**2) / (2 * max(sigma, 1e-3) ** 2)) for step in range(-REACH, REACH + 1)]
        for sigma in batch.genes[:, 0].tolist()
    ]
    # By distance, as both sides weigh alike.
    weights = np.array([[tap / sum(row) for tap in row] for row in taps], np.float32)[:, REACH:]
    count, height, width, channels = batch.images.shape
    line = (width + 2 * REACH) * channels
    group = max(1, TOGETHER // ((height + 2 * REACH) * line))
    for start in range(0, count, group):
        now = slice(start, start + group)
        wide = _widened(batch.images[now])
        down = WORK.get("down", (len(wide), height * line))
        _blur(wide.reshape(len(wide), -1), weights[now], line, down)
        # What runs over the end of a line falls into its margin, and is left out.
        right = WORK.get("right", down.shape)
        _blur(down, weights[now], channels, right[:, : -2 * REACH * channels])
        batch.images[now] = right.reshape(len(wide), height, width + 2 * REACH, channels)[:, :, :width]


def _widened(images: np.ndarray) -> np.ndarray:
    """Images (k, H, W, C) with margins that go on as the edges are."""
    count, height, width, channels = images.shape
    wide = WORK.get("wide", (count, height + 2 * REACH, width + 2 * REACH, channels))
    inner = wide[:, REACH:-REACH]
    inner[:, :, REACH:-REACH] = images
    inner[:, :, :REACH], inner[:, :, -REACH:] = images[:, :, :1], images[:, :, -1:]
    wide[:, :REACH], wide[:, -REACH:] = inner[:, :1], inner[:, -1:]
    return wide


def _blur(wide: np.ndarray, weights: np.ndarray, step: int, out: np.ndarray) -> None:
    """Weighted sums of the neighbours of each value, added from the first to the last.

    Args:
        wide: values and a margin, float32 (k, n + 2 * REACH * step).
        weights: by distance, float32 (k, REACH + 1).
        step: from a value to the next of its neighbours.
        out: float32 (k, n).
    """
    together = max(1, TOGETHER // len(wide))
    for start in range(0, out.shape[1], together):
        sums = out[:, start : start + together]
        size = sums.shape[1]
        part = wide[:, start : start + size + 2 * REACH * step]
        products = WORK.get("products", (REACH + 1, *part.shape))
        for distance, product in enumerate(products):
            np.multiply(part, weights[:, distance, None], out=product)
        # Zero is added first, so that no sum is minus zero.
        np.add(products[REACH][:, :size], 0, out=sums)
        for place in range(1, 2 * REACH + 1):
            sums += products[abs(place - REACH)][:, place * step : place * step + size]
