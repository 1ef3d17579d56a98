"""Glass blur: each pixel shows a neighbour, as behind frosted or wet glass."""

import numpy as np

from quantrift.core.search.distortions.genes import Gene, Setting
from quantrift.core.search.distortions.image_distortion import Batch, Radiometric

PLACE = 42
BY_DEFAULT = False
GROUPS = ("corruptions",)
PIXELS = 2.0
"""Between a pixel and the neighbour that it shows, down and right, at most."""
PATTERNS = 2**16
"""Patterns of neighbours that there are."""


class GlassBlur(Radiometric):
    """Reach in pixels, and the number of the pattern."""

    def __init__(self, setting: Setting) -> None:
        super().__init__([Gene(0, PIXELS * setting.strength, integer=False), Gene(0, PATTERNS - 1)])

    def apply(self, batch: Batch) -> np.ndarray:
        """Look each pixel up at its distance, rounded to whole pixels; images go on as their edges are."""
        _, height, width, _ = batch.images.shape
        lines, columns = np.indices((height, width))
        for place, (reach, number) in enumerate(batch.genes.tolist()):
            drawn = np.random.Generator(np.random.PCG64(int(number))).uniform(-1, 1, (2, height, width))
            down, right = np.rint(reach * drawn).astype(np.int64)
            y, x = np.clip(lines + down, 0, height - 1), np.clip(columns + right, 0, width - 1)
            batch.images[place] = batch.images[place][y, x]
        return batch.images


bind = GlassBlur
