"""Symmetric linear quantization of weights and activations, computed in float.

As in Distiller (``PostTrainLinearQuantizer``, mode ``SYMMETRIC``, statistics of activations given): one scale for the
kernel of each layer and one for each tensor that a layer multiplies, adds or averages, and for the logits. Values are
rounded to whole numbers of steps, at most 2^(bits - 1) - 1 of them up and one more down. Biases stay as they are; so do
layers in between, like ReLU, whose outputs are rounded where the next layer reads them.
"""

from typing import Any

import keras
import numpy as np
from keras import layers, ops

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import Inputs, Integers
from quantrift.core.networks.rewriting import copied, operands, rewritten
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.core.networks.training.original import Compressed, Original

WITH_KERNEL = (layers.Conv2D, layers.Conv3D, layers.DepthwiseConv2D, layers.Dense)
READ_ROUNDED = (
    *WITH_KERNEL,
    layers.Add,
    layers.Subtract,
    layers.Multiply,
    layers.AveragePooling2D,
    layers.GlobalAveragePooling2D,
)
BATCH = 32
"""Inputs whose activations, of all layers, are held in memory at once."""


class Rounded(layers.Layer):
    """Rounds to a symmetric grid of 2^bits levels."""

    def __init__(self, largest: float, bits: int, **settings: Any) -> None:
        super().__init__(**settings)
        self._levels = 2 ** (bits - 1) - 1
        self._step = _step(largest, bits)

    def call(self, x: keras.KerasTensor) -> keras.KerasTensor:
        """Activations of any shape, float32, rounded."""
        # A product, as converters replace divisions by products, which differ in the last place.
        return ops.clip(ops.round(x * (1 / self._step)), -self._levels - 1, self._levels) * self._step


def compress(original: Original, inputs: Inputs, chosen: Integers, bits: int) -> Compressed:
    """The twin of ``original`` with rounded weights and activations, in float.

    Ranges of activations are their largest absolute values over the inputs numbered ``chosen``. ``weight_bits`` counts
    ``bits`` for each weight of a kernel and 32 for each bias, and weights of a 3-D kernel once, however often the twin
    repeats them.

    Raises:
        QuantriftError: if a layer has weights of another kind.
    """
    return Compressed(to_tflite(simulated(original.twin, inputs, chosen, bits)), _weight_bits(original, bits))


def simulated(twin: keras.Model, inputs: Inputs, chosen: np.ndarray, bits: int) -> keras.Model:
    """``twin`` with weights and activations rounded to ``bits``; ranges are those of the inputs numbered ``chosen``."""
    largest = _largest(twin, inputs, chosen)
    done: dict[int, keras.KerasTensor] = {}

    def rounded(old: keras.KerasTensor, new: keras.KerasTensor) -> keras.KerasTensor:
        if id(old) not in done:
            done[id(old)] = Rounded(largest[id(old)], bits, name=f"rounded_{len(done)}")(new)
        return done[id(old)]

    def apply(layer: layers.Layer, given: list[keras.KerasTensor]) -> keras.KerasTensor:
        if isinstance(layer, READ_ROUNDED):
            given = [rounded(*pair) for pair in zip(operands(layer), given, strict=True)]
        result = copied(layer, given)
        return rounded(layer.output, result) if layer.output is twin.outputs[0] else result

    model = rewritten(twin, apply)
    for layer in model.layers:
        if isinstance(layer, WITH_KERNEL):
            kernel = ops.convert_to_numpy(layer.kernel)
            step = np.float32(_step(float(np.abs(kernel).max()), bits))
            layer.kernel.assign(np.round(kernel / step) * step)
        elif layer.trainable_weights and not isinstance(layer, layers.BatchNormalization):
            raise QuantriftError(
                f"linear: layer '{layer.name}' ({type(layer).__name__}) has no rounded form; use ptq_int8 instead"
            )
    return model


def _step(largest: float, bits: int) -> float:
    """The distance of two levels of a grid that reaches ``largest``; 1 for what is always 0."""
    return largest / (2 ** (bits - 1) - 1) or 1.0


def _largest(twin: keras.Model, inputs: Inputs, chosen: np.ndarray) -> dict[int, float]:
    """Identity of each tensor of ``twin`` that is rounded -> its largest absolute value over some inputs."""
    read = [tensor for layer in twin.layers if isinstance(layer, READ_ROUNDED) for tensor in operands(layer)]
    tensors = list({id(tensor): tensor for tensor in [*read, twin.outputs[0]]}.values())
    values = keras.Model(twin.inputs, [ops.max(ops.abs(tensor), axis=None) for tensor in tensors])
    batches = [values.predict_on_batch(inputs.take(chosen[i : i + BATCH])) for i in range(0, len(chosen), BATCH)]
    return dict(zip(map(id, tensors), np.max(batches, axis=0).tolist(), strict=True))


def _weight_bits(original: Original, bits: int) -> int:
    sources = {layer.name: layer for layer in original.network.layers}
    total = 0
    for layer in original.twin.layers:
        if not isinstance(layer, WITH_KERNEL):
            total += 32 * sum(int(np.prod(weight.shape)) for weight in layer.trainable_weights)
            continue
        source = sources.get(layer.name, layer)
        # A normalisation that became a convolution has a diagonal of factors, and as many offsets.
        own = source.gamma if isinstance(source, layers.BatchNormalization) else source.kernel
        total += bits * int(np.prod(own.shape)) + 32 * (own.shape[-1] if layer.use_bias else 0)
    return total
