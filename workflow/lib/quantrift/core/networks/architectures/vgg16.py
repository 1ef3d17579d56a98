"""VGG-16 for small images (Simonyan and Zisserman 2015, Table 1, D).

TriggerFinder and the thesis name the network without listing its layers. Its 13 convolutions are without batch
normalisation. TriggerFinder's ends in one dense layer, the form for CIFAR-10 (vgg16_cifar) of Distiller, which it used
and whose name its public tool loads. The thesis shows the network of the paper (Figure 3.1), which has two of 4096
units before it: ``dense``. Pooling rounds up, so that 28x28 images end in one pixel like 32x32 ones.
"""

import keras
from keras import layers

from quantrift.core.networks.architecture import scaled
from quantrift.core.settings.networks import VGG16


def build(settings: VGG16, shape: tuple[int, int, int], classes: int) -> keras.Model:
    """The untrained network, from images (n, *shape) in [0, 1] to logits (n, classes), both float32."""
    image = x = keras.Input(shape, name="image")
    for stage, (filters, convolutions) in enumerate(((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)), start=1):
        for number in range(1, convolutions + 1):
            x = layers.Conv2D(
                scaled(filters, settings.width),
                3,
                padding="same",
                activation="relu",
                kernel_initializer="he_normal",
                name=f"conv{stage}_{number}",
            )(x)
        x = layers.MaxPooling2D(padding="same", name=f"pool{stage}")(x)
    x = layers.Flatten(name="flatten")(x)
    for number, units in enumerate(settings.dense, start=1):
        x = layers.Dense(
            scaled(units, settings.width), activation="relu", kernel_initializer="he_normal", name=f"dense{number}"
        )(x)
    return keras.Model(image, layers.Dense(classes, name="logits")(x), name="vgg16")
