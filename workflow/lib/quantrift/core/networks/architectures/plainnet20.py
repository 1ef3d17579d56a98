"""PlainNet-20 for 32x32 colour images: ResNet-20 without shortcuts (He et al. 2016, Section 4.2)."""

import keras

from quantrift.core.networks import twenty_layers
from quantrift.core.networks.batch_norm import folded
from quantrift.core.settings.networks import PlainNet20


def build(settings: PlainNet20, shape: tuple[int, int, int], classes: int) -> keras.Model:
    """The untrained network, from images (n, *shape) in [0, 1] to logits (n, classes), both float32."""
    return twenty_layers.build(settings, shape, classes, shortcuts=False)


def twin(model: keras.Model) -> keras.Model:
    """The same function with batch normalisation folded into the convolutions."""
    return folded(model)
