"""ResNet-20 for 32x32 colour images (He et al. 2016, Section 4.2)."""

from functools import partial

from quantrift.core.networks import batch_norm, twenty_layers

build = partial(twenty_layers.build, shortcuts=True)
twin = batch_norm.folded
