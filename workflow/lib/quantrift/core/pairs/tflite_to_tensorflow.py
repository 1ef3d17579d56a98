"""Translation of a .tflite file's graph into operations that TensorFlow can differentiate.

Everything is computed in real numbers: stored integers become the numbers that they stand for, activations are not
rounded between operations, and where a network rounds in float the gradient passes as if it did not.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.networks.tflite_graph import Graph, Operation, Tensor

SOFTMAX = "SOFTMAX"
REAL = ("FLOAT32", "FLOAT16", "INT8", "UINT8", "INT16", "INT32")
PADDING = {schema.Padding.SAME: "SAME", schema.Padding.VALID: "VALID"}
OPTIONS = {
    "CONV_2D": schema.Conv2DOptions,
    "DEPTHWISE_CONV_2D": schema.DepthwiseConv2DOptions,
    "CONV_3D": schema.Conv3DOptions,
    "FULLY_CONNECTED": schema.FullyConnectedOptions,
    "MAX_POOL_2D": schema.Pool2DOptions,
    "AVERAGE_POOL_2D": schema.Pool2DOptions,
    "ADD": schema.AddOptions,
    "SUB": schema.SubOptions,
    "MUL": schema.MulOptions,
    "MEAN": schema.ReducerOptions,
}
"""Operations with settings -> the table of these."""


class Translation:
    """A network of one input and one output; a softmax at its end is left out, so that it gives logits."""

    def __init__(self, path: Path, dense_rows: int = 0) -> None:
        """Reads ``path``, a file that an interpreter has accepted.

        Args:
            path: a .tflite file.
            dense_rows: inputs with which dense layers are computed at least, zeros being added to fewer: a matrix
                product's last bits change with its number of rows.

        Raises:
            QuantriftError: if it has an operation, or holds numbers, without a translation.
        """
        self._path, self._dense_rows, self._graph = path, dense_rows, Graph(path.read_bytes())
        tensors = self._tensors = self._graph.tensors
        # Shapes are not computed but read from the tensors that have them.
        whole = ("INT32", "INT64")
        self._operations = [one for one in self._graph.operations if tensors[one.outputs[0]].type not in whole]
        kinds = [one.kind for one in self._operations]
        last = self._graph.deciding(self._graph.outputs[0])
        unknown = [kind for kind in kinds if kind not in (*TRANSLATIONS, *Graph.UNCHANGING, SOFTMAX)]
        unknown += [SOFTMAX] * (kinds.count(SOFTMAX) > (last is not None and last.kind == SOFTMAX))
        if unknown:
            raise QuantriftError(
                f"{path}: operation {unknown[0]} has no differentiable form; "
                "search this network with a tool that needs no gradients"
            )
        self._constants = {
            number: self._real(tensors[number], tensors[one.inputs[0]])
            for one in self._operations
            for number in one.inputs
            if number >= 0 and tensors[number].stored is not None
        }

    def __call__(self, x: Any) -> dict[int, Any]:
        """Constants and activations by the numbers of their tensors, in the type of ``x``, a tensor (n, H, W, C)."""
        import tensorflow as tf

        known: dict[int, Any] = {number: one.astype(x.dtype.as_numpy_dtype) for number, one in self._constants.items()}
        given = self._graph.inputs[0]
        known[given] = tf.reshape(x, (-1, *self._tensors[given].shape[1:]))
        for one in self._operations:
            output, operands = one.outputs[0], [known.get(number) for number in one.inputs]
            if one.kind in Graph.UNCHANGING:
                known[output] = tf.reshape(operands[0], (-1, *self._tensors[output].shape[1:]))
            elif one.kind == SOFTMAX:
                known[output] = operands[0]
            else:
                known[output] = self._translated(tf, one, operands)
        return known

    def logits(self, x: Any) -> Any:
        """Logits of a tensor (n, H, W, C): a tensor (n, K) of the same type."""
        return self(x)[self._graph.outputs[0]]

    def _translated(self, tf: Any, one: Operation, operands: list[Any]) -> Any:
        translated = TRANSLATIONS[one.kind]
        if one.kind == "FULLY_CONNECTED" and self._dense_rows:
            translated = partial(_filled, translated, self._dense_rows)
        how: Any = one.options(OPTIONS[one.kind]) if one.kind in OPTIONS and one.table.BuiltinOptions() else None
        fused = how.FusedActivationFunction() if hasattr(how, "FusedActivationFunction") else 0
        return _activated(tf, fused, translated(tf, how, *operands))

    def _real(self, tensor: Tensor, beside: Tensor) -> np.ndarray:
        """Real numbers that the stored ones of a tensor stand for, float64, for each channel by its own scale.

        ``beside`` is the tensor that an operation takes them together with.
        """
        numbers = tensor.numbers
        if tensor.type not in REAL or numbers is None:
            raise QuantriftError(f"{self._path}: tensor {tensor.name} is of a type that cannot be translated")
        # Old converters store signed weights as unsigned bytes; kernels that take them with floats read them as signed.
        signed = tensor.type == "UINT8" and beside.type == "FLOAT32"
        return tensor.dequantized(numbers.view(np.int8) if signed else numbers).astype(np.float64)


def _activated(tf: Any, kind: int, x: Any) -> Any:
    """``x`` after the activation that is fused with an operation."""
    kinds = schema.ActivationFunctionType
    known = {kinds.NONE: lambda x: x, kinds.RELU: tf.nn.relu, kinds.RELU6: tf.nn.relu6}
    refuse(
        (
            kind not in known,
            f"activation {kind} of the .tflite schema has no differentiable form; search without gradients",
        ),
    )
    return known[kind](x)


def _convolution(tf: Any, how: Any, x: Any, kernel: Any) -> Any:
    """Kernels are laid out (out, rows, columns, in)."""
    strides, dilations = (how.StrideH(), how.StrideW()), (how.DilationHFactor(), how.DilationWFactor())
    return tf.nn.conv2d(x, tf.transpose(kernel, (1, 2, 3, 0)), strides, PADDING[how.Padding()], dilations=dilations)


def _depthwise(tf: Any, how: Any, x: Any, kernel: Any) -> Any:
    """Kernels are laid out (1, rows, columns, out), the outputs of an input channel side by side."""
    kernel = tf.reshape(kernel, (*kernel.shape[1:3], -1, how.DepthMultiplier()))
    strides, dilations = (1, how.StrideH(), how.StrideW(), 1), (how.DilationHFactor(), how.DilationWFactor())
    return tf.nn.depthwise_conv2d(x, kernel, strides, PADDING[how.Padding()], dilations=dilations)


def _convolution_3d(tf: Any, how: Any, x: Any, kernel: Any) -> Any:
    """Kernels are laid out as in TensorFlow."""
    return tf.nn.conv3d(x, kernel, (1, how.StrideD(), how.StrideH(), how.StrideW(), 1), PADDING[how.Padding()])


def _dense(tf: Any, how: Any, x: Any, kernel: Any) -> Any:
    """Kernels are laid out (out, in)."""
    flat = x if how.KeepNumDims() else tf.reshape(x, (-1, kernel.shape[1]))
    return tf.tensordot(flat, tf.transpose(kernel), 1)


def _biased(operation: Callable[..., Any], tf: Any, how: Any, x: Any, kernel: Any, bias: Any = None) -> Any:
    """An operation with a bias that may be left out."""
    y = operation(tf, how, x, kernel)
    return y if bias is None else y + bias


def _filled(operation: Callable[..., Any], rows: int, tf: Any, how: Any, x: Any, *others: Any) -> Any:
    """An operation computed with at least so many rows: zeros are added, and their results left out."""
    given = tf.shape(x)[0]
    added = tf.maximum(rows - given, 0)
    y = operation(tf, how, tf.pad(x, [(0, added), *[(0, 0)] * (len(x.shape) - 1)]), *others)
    # An input may have several rows there.
    return y[: tf.shape(y)[0] // (given + added) * given]


def _pooled(name: str, tf: Any, how: Any, x: Any) -> Any:
    size, strides = (how.FilterHeight(), how.FilterWidth()), (how.StrideH(), how.StrideW())
    return getattr(tf.nn, name)(x, size, strides, PADDING[how.Padding()])


TRANSLATIONS: dict[str, Callable[..., Any]] = {
    "CONV_2D": partial(_biased, _convolution),
    "DEPTHWISE_CONV_2D": partial(_biased, _depthwise),
    "CONV_3D": partial(_biased, _convolution_3d),
    "FULLY_CONNECTED": partial(_biased, _dense),
    "MAX_POOL_2D": partial(_pooled, "max_pool2d"),
    "AVERAGE_POOL_2D": partial(_pooled, "avg_pool2d"),
    "ADD": lambda tf, how, x, y: x + y,
    "SUB": lambda tf, how, x, y: x - y,
    "MUL": lambda tf, how, x, y: x * y,
    "MINIMUM": lambda tf, how, x, y: tf.minimum(x, y),
    "MAXIMUM": lambda tf, how, x, y: tf.maximum(x, y),
    # Rounds in the forward pass; passes gradients unchanged.
    "ROUND": lambda tf, how, x: x + tf.stop_gradient(tf.round(x) - x),
    "RELU": lambda tf, how, x: tf.nn.relu(x),
    "RELU6": lambda tf, how, x: tf.nn.relu6(x),
    "MEAN": lambda tf, how, x, axes: tf.reduce_mean(x, axes.astype(int).tolist(), how.KeepDims()),
}
"""Operations by their names in the schema; each takes TensorFlow, the operation's settings and its operands."""
