"""Fine-tuning of a trained network on its 2-D twin, with rounding to 8 bits or without, in the same steps."""

import keras
import numpy as np
from keras import activations, layers

from quantrift.core.base.errors import refuse
from quantrift.core.base.grouped import grouped
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.rewriting import copied, operands, rewritten
from quantrift.core.networks.training.fake_quantization import Convolution, Dense, Range, Ranged, Rounding
from quantrift.core.networks.training.original import Original
from quantrift.core.networks.training.tying import FREE, ties
from quantrift.core.settings.training import Training

CALIBRATION = 16
"""Batches whose extremes the ranges of activations begin with, before any step is taken."""
KEEP_THE_GRID = (layers.MaxPooling2D, layers.Reshape, layers.Flatten, layers.ZeroPadding2D)
"""Layers that only choose or move values, and do so in 8 bits on the grid of their input."""
MAKE_A_GRID = (layers.Add, layers.GlobalAveragePooling2D, layers.ReLU, layers.Activation)


def untuned(original: Original, inputs: Inputs, training: Training, *, rounded: bool) -> keras.Model:
    """The twin of ``original`` to fine-tune by ``training`` on the training split, from the weights it has, to logits.

    Order of the batches, steps and learning rate are the same whether ``rounded`` or not. Dropout is left out of both,
    and batch normalisation stands as the twin has it, folded into weights.

    Ranges of activations begin with the extremes of some batches and move with the network until the last epoch: in
    that one the weights settle on the grids that the network is used with, and its loss is the loss on them.

    Args:
        original: the network.
        inputs: its inputs.
        training: steps and seed.
        rounded: whether weights and activations are rounded as in 8 bits.

    Raises:
        QuantriftError: if a layer of the twin has no 8-bit form here.
    """
    steps = -(-len(inputs.train) // training.batch)
    model = _trainable(original, CALIBRATION + (training.epochs - 1) * steps if rounded else None)
    rng = np.random.default_rng(training.seed)
    for _ in range(CALIBRATION if rounded else 0):
        model(inputs.take(rng.choice(inputs.train, min(training.batch, len(inputs.train)), False)), training=True)
    return model


def with_weights_of(model: keras.Model, twin: keras.Model) -> keras.Model:
    """A copy of ``twin``, of plain layers, with the weights of ``model``, which ``untuned`` made of it."""
    result = rewritten(twin, copied)
    for layer in result.layers:
        if layer.weights:
            tuned = model.get_layer(layer.name)
            # Behind kernel and bias may stand the range of the outputs.
            weights = tuned.tied_weights() if isinstance(tuned, Convolution) else tuned.get_weights()
            layer.set_weights(weights[: len(layer.weights)])
    return result


def _trainable(original: Original, updates: int | None) -> keras.Model:
    """The twin in layers that keep ties; rounded, with ranges that move ``updates`` times, unless that is ``None``."""
    twin, tied = original.twin, ties(original)
    readers = grouped((id(tensor), layer) for layer in twin.layers for tensor in operands(layer))

    def range_of(layer: layers.Layer) -> Range | None:
        """The range of a layer's outputs, where they get a grid of their own."""
        if not isinstance(layer, (layers.Conv2D, layers.Dense, *MAKE_A_GRID)):
            return None
        following = readers.get(id(layer.output), [])
        fused = len(following) == 1 and _is_relu(following[0]) and _takes_up_relu(layer)
        return None if updates is None or fused else Range(updates, name="range")

    # Tensor of the twin -> its grid.
    grids: dict[int, Range | None] = {}

    def apply(layer: layers.Layer, given: list[keras.KerasTensor]) -> keras.KerasTensor:
        _check(layer)
        grid = grids.get(id(operands(layer)[0]))
        network_input = [tensor is twin.inputs[0] for tensor in operands(layer)]
        if updates is not None and any(network_input):
            grid = Range(updates, name=f"{layer.name}_input")
            given = [grid(x) if first else x for x, first in zip(given, network_input, strict=True)]
        made = range_of(layer)
        grids[id(layer.output)] = made or grid
        if isinstance(layer, layers.Dropout):
            return given[0]
        if isinstance(layer, layers.Conv2D | layers.Dense):
            rounding = Rounding(grid, made) if grid else None
            # Networks of others come with layers that they froze.
            settings = layer.get_config() | {"trainable": True}
            copy = (
                Convolution(tied.get(layer.name, FREE), rounding, **settings)
                if isinstance(layer, layers.Conv2D)
                else Dense(rounding, **settings)
            )
            result = copy(given[0])
            copy.set_weights(layer.get_weights() + copy.get_weights()[len(layer.weights) :])
            return result
        if made is None:
            return copied(layer, given)
        return Ranged(layer.from_config(layer.get_config()), made)(given if len(given) > 1 else given[0])

    return rewritten(twin, apply)


def _takes_up_relu(layer: layers.Layer) -> bool:
    """Whether a ReLU behind it becomes part of it in 8 bits, so that its own values never stand on a grid."""
    weighted = isinstance(layer, layers.Conv2D | layers.Dense)
    return layer.activation is activations.linear if weighted else isinstance(layer, layers.Add)


def _is_relu(layer: layers.Layer) -> bool:
    """Whether it is a ReLU that a layer before it may take up."""
    if isinstance(layer, layers.ReLU):
        return layer.max_value in (None, 6) and not layer.negative_slope and not layer.threshold
    return isinstance(layer, layers.Activation) and layer.activation is activations.relu


def _check(layer: layers.Layer) -> None:
    known = isinstance(layer, (layers.Conv2D, layers.Dense, layers.Dropout, *KEEP_THE_GRID, *MAKE_A_GRID))
    activation = getattr(layer, "activation", activations.linear)
    odd = "" if activation in (activations.linear, activations.relu) else f" with {activation.__name__}"
    refuse(
        (
            odd or not known,
            f"layer '{layer.name}' ({type(layer).__name__}{odd}) has no fake-quantized form; use ptq_int8 for this "
            "network instead",
        ),
    )
