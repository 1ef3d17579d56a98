"""LeNet-4 for 28x28 grey images (LeCun et al. 1998).

TriggerFinder names the network without listing its layers. Chosen: the form of DeepXplore's public code, as for
LeNet-5: two 5x5 convolutions that keep the size, of 6 and 16 filters, each with ReLU and 2x2 max pooling, then 84 units
with ReLU.
"""

import keras

from quantrift.core.networks import convolutions_and_dense
from quantrift.core.settings.networks import LeNet4


def build(settings: LeNet4, shape: tuple[int, int, int], classes: int) -> keras.Model:
    """The untrained network, from images (n, *shape) in [0, 1] to logits (n, classes), both float32."""
    return convolutions_and_dense.build(settings, shape, classes, filters=(6, 16), hidden=(84,))


def twin(model: keras.Model) -> keras.Model:
    """``model`` itself: all its layers exist in 8 bits."""
    return model
