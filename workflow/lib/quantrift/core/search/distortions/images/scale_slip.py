"""A fault of the pipeline: images on another scale than the network was made for."""

import numpy as np

from quantrift.core.search.distortions.genes import Gene, Setting
from quantrift.core.search.distortions.image_distortion import Batch, Fault

PLACE = 95
GROUPS = ("pipeline_faults",)
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Of ImageNet's red, green and blue on a scale of 0 to 1, by which many pipelines standardise; other images by their
means over the three."""


def bind(setting: Setting) -> Fault:
    """Number of the scale that images are given on by mistake, among those that are not the network's own.

    These are, in order, 0 to 1, 0 to 255, -1 to 1 and standardised by mean and standard deviation; numbers beyond the
    last begin again.
    """
    coloured = setting.shape[2] == 3
    mean, deviation = (np.array(of if coloured else [sum(of) / 3], np.float32) for of in (MEAN, DEVIATION))
    zero, one = np.zeros(1, np.float32), np.ones(1, np.float32)
    # Black, and white less black, of each scale: float32 (1,) or (3,).
    scales = [(zero, one), (zero, 255 * one), (-one, 2 * one), (-mean / deviation, 1 / deviation)]

    def apply(batch: Batch) -> None:
        """Put images on the other scale, which may leave the range of values."""
        black, span = np.atleast_1d(batch.black), np.atleast_1d(batch.span)
        # Scales are the same where they differ by at most a thousandth of their range.
        others = [
            (low, width)
            for low, width in scales
            if max(np.abs(low - black).max(), np.abs(width - span).max()) > 1e-3 * float(span.max())
        ]
        for image, [number] in zip(batch.images, batch.genes.tolist(), strict=True):
            low, width = others[int(number) % len(others)]
            image[:] = (image - batch.black) / batch.span * width + low

    return Fault([Gene(0, len(scales) - 1)], apply)
