"""Pruning: the smallest weights (Han et al. 2015) or filters (Li et al. 2017) become zero, and the rest is fine-tuned.

Zeros are chosen once, in every layer for itself, and stay zero in training. Layers keep their shapes: a pruned filter
gives zeros, and what reads it meets them.
"""

from typing import Any, Literal

import keras
import numpy as np
from keras import layers, ops

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.rewriting import operands
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.core.networks.training.original import Original
from quantrift.study.compression.published_form import twin_of
from quantrift.study.compression.trainable import Trainable

By = Literal["weights", "filters"]
CONVOLUTIONS = (layers.Conv2D, layers.Conv3D)


def trainable(original: Original, by: By, sparsity: float, seed: int) -> Trainable:
    """``original`` pruned, to fine-tune in float; what is zero stays zero.

    Weights are those of the network as published: of a small 3-D kernel, and not of its copies in the twin. A network
    from a file is pruned in the form of its twin. ``weight_bits`` counts 32 bits for each weight that is not zero, and
    nothing for saying which ones those are.

    Raises:
        QuantriftError: if there is nothing to prune.
    """
    source = original.network if original.trained_here else original.twin
    # Reading a network draws random numbers, but only the first time; dropout draws its seed from what follows.
    keras.utils.set_random_seed(seed)
    model = keras.models.clone_model(source)
    model.set_weights(source.get_weights())
    _prune(model, by, sparsity)

    def told() -> tuple[int, dict[str, Any]]:
        values = [ops.convert_to_numpy(variable) for variable in model.trainable_variables]
        weights, zeros = sum(value.size for value in values), sum(int((value == 0).sum()) for value in values)
        return 32 * (weights - zeros), {"weights": weights, "zero_weights": zeros, "sparsity": zeros / weights}

    return Trainable(model, lambda: to_tflite(twin_of(original, model)), told=told)


def _prune(model: keras.Model, by: By, sparsity: float) -> None:
    """Set weights of ``model`` to zero for good."""
    with_weights = [layer for layer in model.layers if isinstance(layer, (*CONVOLUTIONS, layers.Dense))]
    chosen = [layer for layer in with_weights[:-1] if by == "weights" or isinstance(layer, CONVOLUTIONS)]
    if not chosen:
        what = "convolutions" if by == "filters" else "convolutions or dense layers"
        raise QuantriftError(f"prune: '{model.name}' has no {what} before its last layer; choose another compression")
    for layer in chosen:
        kernel = ops.convert_to_numpy(layer.kernel)
        if by == "weights":
            _hold(layer.kernel, _kept(np.abs(kernel), sparsity))
            continue
        kept = _kept(np.abs(kernel).sum(axis=tuple(range(kernel.ndim - 1))), sparsity)
        for variable in (layer.kernel, layer.bias, *_statistics_behind(model, layer)):
            if variable is not None:
                _hold(variable, kept)


def _kept(scores: np.ndarray, sparsity: float) -> np.ndarray:
    """Which of some weights or filters stay, shaped like ``scores``; the smallest go first, and one always stays."""
    kept = np.ones(scores.size, bool)
    kept[np.argsort(scores, axis=None, kind="stable")[: min(round(sparsity * scores.size), scores.size - 1)]] = False
    return kept.reshape(scores.shape)


def _statistics_behind(model: keras.Model, layer: layers.Layer) -> list[keras.Variable | None]:
    """Weights by which the one batch normalisation that reads ``layer`` would turn zeros into other values."""
    readers = [one for one in model.layers if any(tensor is layer.output for tensor in operands(one))]
    norms = [one for one in readers if isinstance(one, layers.BatchNormalization)]
    # The mean of zeros stays zero in training.
    return [norms[0].gamma, norms[0].beta, norms[0].moving_mean] if len(norms) == len(readers) == 1 else []


def _hold(variable: keras.Variable, kept: np.ndarray) -> None:
    """Set a variable to zero where it is not kept, now and after each step of an optimizer."""
    mask = ops.convert_to_tensor(np.broadcast_to(kept, variable.shape))

    def constraint(value: keras.KerasTensor) -> keras.KerasTensor:
        # Not a product: that of zero and a negative number has another bit pattern.
        return ops.where(mask, value, ops.zeros_like(value))

    variable.assign(constraint(variable.value))
    variable.constraint = constraint
