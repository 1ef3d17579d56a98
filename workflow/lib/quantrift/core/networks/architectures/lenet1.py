"""LeNet-1 for 28x28 grey images (LeCun et al. 1998): the layers of the network published with DiffChaser and DFlare.

Two 5x5 convolutions that keep the size, of 4 and 12 filters, each with ReLU and 2x2 max pooling, then the logits. The
weights of that file (lenet1.h5) fit.
"""

import keras

from quantrift.core.networks import convolutions_and_dense
from quantrift.core.settings.networks import LeNet1


def build(settings: LeNet1, shape: tuple[int, int, int], classes: int) -> keras.Model:
    """The untrained network, from images (n, *shape) in [0, 1] to logits (n, classes), both float32."""
    return convolutions_and_dense.build(settings, shape, classes, filters=(4, 12), hidden=())


def twin(model: keras.Model) -> keras.Model:
    """``model`` itself: all its layers exist in 8 bits."""
    return model
