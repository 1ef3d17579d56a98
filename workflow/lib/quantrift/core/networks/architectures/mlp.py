"""The perceptron of three dense layers of the thesis on heterogeneous quantization (Section 3.1, Figure 3.2).

Its text states no sizes. Chosen: two hidden layers of 512 units with ReLU, as in Keras's example for MNIST, without
dropout.
"""

import keras
from keras import layers

from quantrift.core.networks.architecture import scaled
from quantrift.core.settings.networks import MLP


def build(settings: MLP, shape: tuple[int, int, int], classes: int) -> keras.Model:
    """The untrained network, from images (n, *shape) in [0, 1] to logits (n, classes), both float32."""
    image = keras.Input(shape, name="image")
    x = layers.Flatten(name="flatten")(image)
    for number in (1, 2):
        x = layers.Dense(scaled(512, settings.width), activation="relu", name=f"dense{number}")(x)
    return keras.Model(image, layers.Dense(classes, name="logits")(x), name="mlp")
