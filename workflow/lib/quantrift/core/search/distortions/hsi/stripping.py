"""Stripping of lines or columns (DiverGet Table 1).

All bands of up to 20 % of the lines (or columns, by the shared mode gene) are brought to another mean and standard
deviation, as by a detector that is calibrated differently.
"""

import numpy as np

from quantrift.core.search.distortions import dropout
from quantrift.core.search.distortions.genes import Gene, Setting
from quantrift.core.search.distortions.patch_distortion import Batch, Radiometric

PLACE = 30


def bind(setting: Setting) -> Radiometric:
    """(line, on) pairs, target mean, target standard deviation, in the data's unit (the authors' earlier tool)."""
    targets = [Gene(0.0, 0.05, integer=False), Gene(0.001, 0.05, integer=False)]
    return Radiometric([*dropout.lines(setting), *targets], apply)


def apply(batch: Batch) -> None:
    """On the chosen lines, x' = sd/so * (x - mo) + md, with mean mo and deviation so of the original patch."""
    k, places = batch.places(dropout.along(batch, batch.genes[:, :-2].astype(np.intp)))
    target, spread = batch.genes[:, -2:].astype(np.float64).T
    mean, deviation = batch.originals.mean[batch.source], batch.originals.deviation[batch.source]
    # A constant patch has no deviation to scale; it becomes the target mean.
    scale = np.divide(spread, deviation, out=np.zeros(len(spread)), where=deviation > 0)
    pixels = batch.pixels
    pixels[places] = scale[k, None] * (pixels[places] - mean[k, None]) + target[k, None]
