"""The optimizer, learning rate and weight decay of one training run."""

from functools import partial
from typing import Any

import keras
from keras import layers, optimizers

from quantrift.core.settings.networks import Training


def optimizer(training: Training, steps: int) -> optimizers.Optimizer:
    """The optimizer of a training run whose epochs have ``steps`` steps."""
    rate = optimizers.schedules.InverseTimeDecay(training.learning_rate, 1, training.decay)
    if training.cosine:
        rate = optimizers.schedules.CosineDecay(training.learning_rate, training.epochs * steps)
    elif training.drops:
        # The number of the last step, from 0, that still has the rate before the drop.
        rate = optimizers.schedules.PiecewiseConstantDecay(
            [epoch * steps - 1 for epoch in training.drops],
            [training.learning_rate * 0.1**drop for drop in range(len(training.drops) + 1)],
        )
    return {
        "adam": optimizers.Adam,
        "rmsprop": optimizers.RMSprop,
        "sgd": partial(optimizers.SGD, momentum=0.9),
    }[training.optimizer](rate)


def compile_for(training: Training, model: keras.Model, steps: int, **more: Any) -> None:
    """Make ``model``, whose outputs are logits, ready for a training run whose epochs have ``steps`` steps."""
    if training.weight_decay:
        penalise_weights(model, training.weight_decay)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer(training, steps), loss, jit_compile=False, **more)
    # Where the first step made variables, TensorFlow would trace it twice, seconds for nothing.
    model.optimizer.build(model.trainable_variables)


def penalise_weights(model: keras.Model, decay: float) -> None:
    """Add ``decay`` / 2 times the squared norm of every kernel of ``model`` to the loss it is trained with."""
    # On the variables, not in the layers' settings, so that the saved network has no settings of its training.
    for layer in model.layers:
        if isinstance(layer, layers.Conv2D | layers.Conv3D | layers.Dense):
            layer.kernel.regularizer = keras.regularizers.L2(decay / 2)
