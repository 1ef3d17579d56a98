"""PlainNet-20 for 32x32 colour images: ResNet-20 without shortcuts (He et al. 2016, Section 4.2)."""

from functools import partial

from quantrift.core.networks import batch_norm, twenty_layers

build = partial(twenty_layers.build, shortcuts=False)
twin = batch_norm.folded
