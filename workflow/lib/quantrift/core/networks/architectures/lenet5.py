"""LeNet-5 for 28x28 grey images (LeCun et al. 1998).

DiffChaser and TriggerFinder name the network without listing its layers. Chosen: its modern form, as in
DeepXplore's public code, whose networks this line of work reuses: two 5x5 convolutions that keep the size,
of 6 and 16 filters, each with ReLU and 2x2 max pooling, then 120 and 84 units with ReLU.
"""

import keras

from quantrift.core.networks import convolutions_and_dense
from quantrift.core.settings.networks import LeNet5


def build(settings: LeNet5, shape: tuple[int, int, int], classes: int) -> keras.Model:
    """The untrained network, from images (n, *shape) in [0, 1] to logits (n, classes), both float32."""
    return convolutions_and_dense.build(settings, shape, classes, filters=(6, 16), hidden=(120, 84))


def twin(model: keras.Model) -> keras.Model:
    """``model`` itself: all its layers exist in 8 bits."""
    return model
