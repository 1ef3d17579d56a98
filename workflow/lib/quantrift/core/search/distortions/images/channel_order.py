"""A fault of the pipeline: channels in reverse order, blue, green and red to a network for red, green and blue."""

from quantrift.core.search.distortions.genes import Gene, Setting
from quantrift.core.search.distortions.image_distortion import Batch, Fault

PLACE = 90
GROUPS = ("pipeline_faults",)


def bind(setting: Setting) -> Fault:
    """A gene that is always 1: the order is reversed or it is not. Images of one channel have no order."""
    return Fault([Gene(1, 1)] if setting.shape[2] > 1 else [], apply)


def apply(batch: Batch) -> None:
    """Reverse the channels of the image; each is then standardised as its place is."""
    if batch.span.ndim:
        batch.images[:] = ((batch.images - batch.black) / batch.span)[..., ::-1] * batch.span + batch.black
    else:
        batch.images[:] = batch.images[..., ::-1].copy()
