"""Salt-and-pepper noise (DiverGet Table 1): up to 7 % of the pixels turn bright or dead, in all bands."""

import numpy as np

from quantrift.core.search.distortions.genes import Gene, Setting, share
from quantrift.core.search.distortions.patch_distortion import Batch, Radiometric

PLACE = 70
PEPPER, SALT, NONE = 0, 1, 2


def bind(setting: Setting) -> Radiometric:
    """(x, y, type) triples: column, line, and 0 = pepper (patch minimum), 1 = salt (patch maximum), 2 = none.

    At most 7 % of the pixels at once (the authors' earlier tool).
    """
    height, width, _ = setting.shape
    triple = [Gene(0, width - 1), Gene(0, height - 1), Gene(PEPPER, NONE)]
    return Radiometric(triple * share(0.07 * setting.strength, height * width), apply)


def apply(batch: Batch) -> None:
    """Write the patch's extremes to the chosen pixels; where salt and pepper meet, the later gene stays."""
    _, height, width, _ = batch.patches.shape
    candidates, size = len(batch.genes), height * width
    x, y, kinds = np.ascontiguousarray(batch.genes.astype(np.intp).reshape(candidates, -1, 3).T)
    # What becomes of each pixel, gene by gene: numpy does not say which of several writes to one place comes last.
    # Genes that do nothing write to one place more.
    fate = np.full((candidates, size + 1), NONE, np.int8)
    every = np.arange(candidates)
    for pixel, kind in zip(np.where(kinds == NONE, size, y * width + x), kinds, strict=True):
        fate[every, pixel] = kind
    fate = np.ascontiguousarray(fate[:, :size])
    hit = fate != NONE
    k, places = batch.places(hit)
    batch.pixels[places] = np.where(fate[hit] == SALT, batch.maximum[k], batch.minimum[k])[:, None]
