"""LeNet-5 for 28x28 grey images (LeCun et al. 1998).

DiffChaser and TriggerFinder name the network without listing its layers. Chosen: its modern form, as in
DeepXplore's public code, whose networks this line of work reuses: two 5x5 convolutions that keep the size,
of 6 and 16 filters, each with ReLU and 2x2 max pooling, then 120 and 84 units with ReLU.
"""

import keras
from keras import layers

from quantrift.config.networks import LeNet5
from quantrift.models.networks import scaled


def build(settings: LeNet5, shape: tuple[int, int, int], classes: int) -> keras.Model:
    """The untrained network, from images (n, *shape) in [0, 1] to logits (n, classes), both float32."""
    image = x = keras.Input(shape, name="image")
    for number, filters in enumerate((6, 16), start=1):
        width = scaled(filters, settings.width)
        x = layers.Conv2D(width, 5, padding="same", activation="relu", name=f"conv{number}")(x)
        x = layers.MaxPooling2D(name=f"pool{number}")(x)
    x = layers.Flatten(name="flatten")(x)
    for number, units in enumerate((120, 84), start=1):
        x = layers.Dense(scaled(units, settings.width), activation="relu", name=f"dense{number}")(x)
    return keras.Model(image, layers.Dense(classes, name="logits")(x), name="lenet5")


def twin(model: keras.Model) -> keras.Model:
    """``model`` itself: all its layers exist in 8 bits."""
    return model
