"""Rebuilding of a network layer by layer, with some layers replaced."""

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
from keras import layers

Apply = Callable[[layers.Layer, list[keras.KerasTensor]], keras.KerasTensor]
"""Takes a layer of the old network and tensors of the new one that stand for its inputs; gives the new output."""


def operands(layer: layers.Layer) -> list[keras.KerasTensor]:
    """The tensors a layer reads, in order."""
    return layer.input if isinstance(layer.input, list) else [layer.input]


def rewritten(model: keras.Model, apply: Apply) -> keras.Model:
    """A network with the input and the name of ``model`` in which ``apply`` stands for each layer.

    ``model`` must have one input and one output and use each layer once.
    """
    made: dict[int, keras.KerasTensor] = {}
    for layer in model.layers:
        if isinstance(layer, layers.InputLayer):
            made[id(layer.output)] = keras.Input(layer.output.shape[1:], name=layer.name)
        else:
            made[id(layer.output)] = apply(layer, [made[id(tensor)] for tensor in operands(layer)])
    return keras.Model(made[id(model.inputs[0])], made[id(model.outputs[0])], name=model.name)


def copied(layer: layers.Layer, inputs: list[keras.KerasTensor]) -> keras.KerasTensor:
    """Apply a copy of ``layer``, with its weights, to ``inputs``."""
    copy = layer.from_config(layer.get_config())
    return applied(copy, inputs[0] if len(inputs) == 1 else inputs, layer.get_weights())


def applied(layer: layers.Layer, inputs: Any, weights: list[np.ndarray]) -> keras.KerasTensor:
    """Output of a new layer, whose weights exist once it has got inputs."""
    result = layer(inputs)
    layer.set_weights(weights)
    return result
