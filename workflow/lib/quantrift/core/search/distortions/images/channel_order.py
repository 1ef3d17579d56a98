"""A fault of the pipeline: channels in reverse order, blue, green and red to a network for red, green and blue."""

import numpy as np

from quantrift.core.search.distortions.genes import Gene, Setting
from quantrift.core.search.distortions.image_distortion import Batch, Fault

PLACE = 90
BY_DEFAULT = False
GROUPS = ("pipeline_faults",)


class ChannelOrder(Fault):
    """A gene that is always 1: the order is reversed or it is not. Images of one channel have no order."""

    def __init__(self, setting: Setting) -> None:
        super().__init__([Gene(1, 1)] if setting.shape[2] > 1 else [])

    def apply(self, batch: Batch) -> np.ndarray:
        """Reverse the channels of the image; each is then standardised as its place is."""
        if not batch.span.ndim:
            return np.ascontiguousarray(batch.images[..., ::-1])
        plain = (batch.images - batch.black) / batch.span
        return np.ascontiguousarray(plain[..., ::-1]) * batch.span + batch.black


bind = ChannelOrder
