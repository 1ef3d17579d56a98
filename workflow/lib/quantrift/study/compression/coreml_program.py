"""Conversion of a Keras network to a Core ML program, whose operations have the names of its layers, and back.

Built with coremltools' own builder of programs: its converter of TensorFlow networks says of every TensorFlow since
2.13 that it was never tried with it. Images have their channels before rows and columns there, as Core ML wants them;
the input and what is flattened keep the order of Keras.
"""

import re
from typing import Any

import keras
import numpy as np
from keras import activations, layers

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.rewriting import copied, operands, rewritten
from quantrift.study.compression.coreml_package import Weights

FIRST, LAST = (0, 3, 1, 2), (0, 2, 3, 1)
"""Orders of the axes of an image: channels moved before rows and columns, and behind them."""
KERNELS = {"conv": (3, 2, 0, 1), "linear": (1, 0)}
"""Operations with weights -> axes of Keras's kernel in the order that Core ML has them."""


def program(model: keras.Model, coremltools: Any) -> Any:
    """The program of ``model`` in float32, from one input (1, H, W, C), called ``image``, to its logits (1, K).

    Args:
        model: a network with one input and one output that uses each layer once.
        coremltools: the library.

    Raises:
        QuantriftError: if a layer is of a kind that is not built here.
    """
    builder = coremltools.converters.mil.Builder

    def main(image: Any) -> Any:
        made = {id(model.inputs[0]): builder.transpose(x=image, perm=FIRST)}
        for layer in model.layers:
            if not isinstance(layer, layers.InputLayer):
                made[id(layer.output)] = _operation(layer, [made[id(one)] for one in operands(layer)], builder)
        return made[id(model.outputs[0])]

    shape = builder.TensorSpec(shape=(1, *model.inputs[0].shape[1:]))
    return builder.program(input_specs=[shape], opset_version=coremltools.target.iOS16)(main)


def with_weights(model: keras.Model, stored: Weights) -> keras.Model:
    """A copy of ``model`` with weights that were read from its package, widened to float32."""
    copy = rewritten(model, copied)
    for layer in copy.layers:
        if layer.weights:
            of_layer = stored[name_of(layer)]
            order = KERNELS["conv" if isinstance(layer, layers.Conv2D) else "linear"]
            bias = [of_layer["bias"]] if layer.use_bias else []
            kernel = of_layer["weight"].transpose(np.argsort(order))
            layer.set_weights([value.astype(np.float32) for value in (kernel, *bias)])
    return copy


def name_of(layer: layers.Layer) -> str:
    """Name of a layer's operation: the layer's, with nothing but letters, digits and underscores in it."""
    return re.sub(r"\W", "_", layer.name)


def _operation(layer: layers.Layer, given: list[Any], builder: Any) -> Any:
    """The output of ``layer``, and of its activation, on its inputs."""
    name, x = name_of(layer), given[0]
    match layer:
        case layers.Dropout():
            return x
        case layers.Conv2D() if layer.data_format == "channels_last" and layer.groups == 1:
            window = {"strides": layer.strides, "pad_type": layer.padding, "dilations": layer.dilation_rate}
            x = builder.conv(x=x, **_weights(layer, "conv"), **window, name=name)
        case layers.Dense() if len(x.shape) == 2:
            x = builder.linear(x=x, **_weights(layer, "linear"), name=name)
        case layers.MaxPooling2D():
            return builder.max_pool(x=x, **_pooling(layer), name=name)
        case layers.AveragePooling2D():
            # As in Keras, what lies beyond the border does not count.
            return builder.avg_pool(x=x, **_pooling(layer), exclude_padding_from_average=True, name=name)
        case layers.GlobalAveragePooling2D():
            return builder.reduce_mean(x=x, axes=[2, 3], keep_dims=layer.keepdims, name=name)
        case layers.Flatten() | layers.Reshape():
            return _reshaped(x, layer.output.shape[1:], builder, name)
        case layers.Add() if len(given) == 2:
            return builder.add(x=given[0], y=given[1], name=name)
        case layers.ReLU() if (layer.max_value, layer.negative_slope, layer.threshold) == (None, 0, 0):
            return builder.relu(x=x, name=name)
        case layers.Activation():
            pass
        case _:
            raise _refusal(layer)
    if layer.activation is activations.relu:
        return builder.relu(x=x, name=f"{name}_relu")
    if layer.activation is not activations.linear:
        raise _refusal(layer)
    return x


def _weights(layer: layers.Conv2D | layers.Dense, operation: str) -> dict[str, np.ndarray]:
    kernel, *bias = layer.get_weights()
    found = {"weight": np.ascontiguousarray(kernel.transpose(KERNELS[operation]))}
    return found | ({"bias": bias[0]} if bias else {})


def _pooling(layer: layers.MaxPooling2D | layers.AveragePooling2D) -> dict[str, Any]:
    return {"kernel_sizes": layer.pool_size, "strides": layer.strides, "pad_type": layer.padding}


def _reshaped(x: Any, shape: tuple[int, ...], builder: Any, name: str) -> Any:
    """A tensor in another shape, with its numbers in the order of Keras."""
    if len(x.shape) == 4:
        x = builder.transpose(x=x, perm=LAST)
    x = builder.reshape(x=x, shape=(1, *shape), name=name)
    return builder.transpose(x=x, perm=FIRST) if len(shape) == 3 else x


def _refusal(layer: layers.Layer) -> QuantriftError:
    activation = getattr(getattr(layer, "activation", None), "__name__", "")
    what = type(layer).__name__ + (f" with activation {activation}" if activation not in ("", "linear") else "")
    return QuantriftError(
        f"coreml: layer '{layer.name}' ({what}) is not one of those built here; choose another compression"
    )
