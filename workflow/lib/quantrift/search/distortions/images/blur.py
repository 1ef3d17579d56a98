"""Gaussian blur, as of a lens out of focus."""

from math import exp

import numpy as np

from quantrift.search.distortions.genes import Gene, Setting
from quantrift.search.distortions.image_distortion import Batch, Radiometric

PLACE = 40
BY_DEFAULT = True
PIXELS = 2.0
"""Standard deviation at most."""
REACH = 5
"""Pixels looked at to each side; 2.5 standard deviations of the widest."""


class Blur(Radiometric):
    """Standard deviation in pixels."""

    def __init__(self, setting: Setting) -> None:
        super().__init__([Gene(0, PIXELS * setting.strength, integer=False)])

    def apply(self, batch: Batch) -> np.ndarray:
        """Blur along lines, then along columns; images go on as their edges are."""
        taps = [
            [exp(-(step**2) / (2 * max(sigma, 1e-3) ** 2)) for step in range(-REACH, REACH + 1)]
            for sigma in batch.genes[:, 0].tolist()
        ]
        weights = np.array([[tap / sum(row) for tap in row] for row in taps], np.float32)
        images = batch.images
        _, height, width, _ = images.shape
        for axis in (1, 2):
            pad = [(0, 0)] * 4
            pad[axis] = (REACH, REACH)
            wide = np.pad(images, pad, mode="edge")
            images = np.zeros_like(images)
            for step in range(2 * REACH + 1):
                part = wide[:, step : step + height] if axis == 1 else wide[:, :, step : step + width]
                images += weights[:, step, None, None, None] * part
        return images


bind = Blur
