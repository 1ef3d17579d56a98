"""Glass blur: each pixel shows a neighbour, as behind frosted or wet glass."""

import numpy as np

from quantrift.core.search.distortions.genes import PATTERN, Setting, generator, up_to
from quantrift.core.search.distortions.image_distortion import Batch, Radiometric

PLACE = 42
GROUPS = ("corruptions",)


def bind(setting: Setting) -> Radiometric:
    """Pixels down and right, at most two, to the neighbour that is shown, and the number of the pattern."""
    return Radiometric([up_to(2.0 * setting.strength), PATTERN], apply)


def apply(batch: Batch) -> None:
    """Look each pixel up at its distance, rounded to whole pixels; images go on as their edges are."""
    _, height, width, _ = batch.images.shape
    lines, columns = np.indices((height, width))
    for place, (reach, number) in enumerate(batch.genes.tolist()):
        down, right = np.rint(reach * generator(number).uniform(-1, 1, (2, height, width))).astype(np.int64)
        y, x = np.clip(lines + down, 0, height - 1), np.clip(columns + right, 0, width - 1)
        batch.images[place] = batch.images[place][y, x]
