"""TriggerFinder's CNN for 28x28 grey images.

The paper lists no layers but names Distiller as the toolkit it compressed with. Chosen: the network for MNIST that
comes with Distiller (simplenet_mnist): two unpadded 5x5 convolutions of 20 and 50 filters, each with ReLU and 2x2 max
pooling, then 500 units with ReLU.
"""

import keras

from quantrift.core.networks import convolutions_and_dense
from quantrift.core.settings.networks import CNN


def build(settings: CNN, shape: tuple[int, int, int], classes: int) -> keras.Model:
    """The untrained network, from images (n, *shape) in [0, 1] to logits (n, classes), both float32."""
    return convolutions_and_dense.build(settings, shape, classes, filters=(20, 50), hidden=(500,), padding="valid")


def twin(model: keras.Model) -> keras.Model:
    """``model`` itself: all its layers exist in 8 bits."""
    return model
