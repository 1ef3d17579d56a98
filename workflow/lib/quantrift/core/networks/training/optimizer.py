"""The optimizer, learning rate and weight decay of one training run."""

import keras
from keras import layers, optimizers

from quantrift.core.settings.networks import Training


def optimizer(training: Training, steps: int) -> optimizers.Optimizer:
    """The optimizer of a training run whose epochs have ``steps`` steps."""
    rate = _rate(training, steps)
    match training.optimizer:
        case "adam":
            return optimizers.Adam(rate)
        case "rmsprop":
            return optimizers.RMSprop(rate)
        case "sgd":
            return optimizers.SGD(rate, momentum=0.9)


def penalise_weights(model: keras.Model, decay: float) -> None:
    """Add ``decay`` / 2 times the squared norm of every kernel of ``model`` to the loss it is trained with."""
    # On the variables, not in the layers' settings, so that the saved network has no settings of its training.
    for layer in model.layers:
        if isinstance(layer, layers.Conv2D | layers.Conv3D | layers.Dense):
            layer.kernel.regularizer = keras.regularizers.L2(decay / 2)


def _rate(training: Training, steps: int) -> optimizers.schedules.LearningRateSchedule:
    if not training.drops:
        return optimizers.schedules.InverseTimeDecay(training.learning_rate, 1, training.decay)
    # The number of the last step, from 0, that still has the rate before the drop.
    last = [epoch * steps - 1 for epoch in training.drops]
    rates = [training.learning_rate * 0.1**drop for drop in range(len(last) + 1)]
    return optimizers.schedules.PiecewiseConstantDecay(last, rates)
