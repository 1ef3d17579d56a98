"""Batch normalisation folded into the layers around it, exactly (Jacob et al. 2018, Section 3.2).

At inference a normalisation is one factor and one offset per channel. Behind a convolution or dense layer that nothing
else reads, both go into its weights. Anywhere else, as behind the sum of a residual block, a 1x1 convolution with a
diagonal kernel computes the same in a layer that exists in 8 bits.
"""

import keras
import numpy as np
from keras import layers
from numpy.typing import NDArray

from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.base.grouped import grouped
from quantrift.core.networks.rewriting import applied, copied, operands, rewritten

Weights = NDArray[np.float64]


def folded(model: keras.Model) -> keras.Model:
    """The same function as a trained ``model`` without batch normalisation; all other layers keep their names.

    Raises:
        QuantriftError: for a normalisation of anything but images (n, H, W, C) that follows no layer it can join.
    """
    norms = _norms_that_join(model)
    joining = {id(norm) for norm in norms.values()}

    def apply(layer: layers.Layer, inputs: list[keras.KerasTensor]) -> keras.KerasTensor:
        if layer.name in norms:
            return _joined(layer, norms[layer.name], inputs[0])
        if id(layer) in joining:
            return inputs[0]
        return _diagonal(layer, inputs[0]) if isinstance(layer, layers.BatchNormalization) else copied(layer, inputs)

    return rewritten(model, apply)


def folded_where_possible(model: keras.Model) -> keras.Model:
    """The same function without batch normalisation, or ``model`` itself where it cannot be folded."""
    norms = [layer for layer in model.layers if isinstance(layer, layers.BatchNormalization)]
    if not norms or any(layer.axis not in (-1, len(layer.output.shape) - 1) for layer in norms):
        return model
    try:
        return folded(model)
    # Folding handles layers that take one tensor or a list of them; attention, for one, takes several.
    except (QuantriftError, TypeError, ValueError):
        return model


def factor_and_offset(norm: layers.BatchNormalization) -> tuple[Weights, Weights]:
    """Factor and then offset that a trained normalisation applies to each channel, float64 (C,) each."""
    mean, variance = (_numbers(value) for value in (norm.moving_mean, norm.moving_variance))
    factor = (_numbers(norm.gamma) if norm.scale else 1.0) / np.sqrt(variance + norm.epsilon)
    return factor, (_numbers(norm.beta) if norm.center else 0.0) - mean * factor


def _norms_that_join(model: keras.Model) -> dict[str, layers.BatchNormalization]:
    """Name of each layer that takes up a normalisation -> that normalisation."""
    readers = grouped((id(tensor), layer) for layer in model.layers for tensor in operands(layer))
    kinds = layers.Conv2D | layers.Dense
    linear = [one for one in model.layers if isinstance(one, kinds) and one.activation is keras.activations.linear]
    return {
        name: reading[0]
        for name, reading in {layer.name: readers.get(id(layer.output), []) for layer in linear}.items()
        if len(reading) == 1 and isinstance(reading[0], layers.BatchNormalization)
    }


def _joined(
    layer: layers.Conv2D | layers.Dense, norm: layers.BatchNormalization, x: keras.KerasTensor
) -> keras.KerasTensor:
    factor, offset = factor_and_offset(norm)
    bias = _numbers(layer.bias) * factor if layer.use_bias else 0.0
    copy = layer.from_config(layer.get_config() | {"use_bias": True})
    # The last axis of both kinds of kernels is the channel that comes out.
    return applied(copy, x, [_numbers(layer.kernel) * factor, bias + offset])


def _diagonal(norm: layers.BatchNormalization, x: keras.KerasTensor) -> keras.KerasTensor:
    refuse(
        (
            len(x.shape) != 4,
            f"layer '{norm.name}' normalises a tensor of {len(x.shape)} axes that no layer makes for it alone; "
            "put the batch normalisation behind a convolution or dense layer without activation",
        ),
    )
    factor, offset = factor_and_offset(norm)
    return applied(layers.Conv2D(len(factor), 1, name=norm.name), x, [np.diag(factor)[None, None], offset])


def _numbers(variable: keras.Variable) -> Weights:
    return keras.ops.convert_to_numpy(variable).astype(np.float64)
