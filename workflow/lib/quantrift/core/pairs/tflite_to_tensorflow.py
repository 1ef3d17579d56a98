"""Translation of a .tflite file's graph into operations that TensorFlow can differentiate.

Everything is computed in real numbers: stored integers become the numbers that they stand for, activations are not
rounded between operations, and where a network rounds in float the gradient passes as if it did not.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.tflite_graph import OPERATIONS, UNCHANGING, Graph, with_all_buffers

SOFTMAX = "SOFTMAX"
TYPE = schema.TensorType
REAL = {TYPE.FLOAT32: np.float32, TYPE.FLOAT16: np.float16, TYPE.INT8: np.int8, TYPE.UINT8: np.uint8}
REAL |= {TYPE.INT16: np.int16, TYPE.INT32: np.int32}
PADDING = {schema.Padding.SAME: "SAME", schema.Padding.VALID: "VALID"}


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
        content = path.read_bytes()
        model = with_all_buffers(content)
        self._path = path
        self._dense_rows = dense_rows
        self._buffers = model.buffers
        self._graph = model.subgraphs[0]
        kinds = [OPERATIONS[max(code.builtinCode, code.deprecatedBuiltinCode)] for code in model.operatorCodes]
        self._operators = [
            (kinds[operator.opcodeIndex], operator)
            for operator in self._graph.operators
            # Shapes are not computed but read from the tensors that have them.
            if self._graph.tensors[operator.outputs[0]].type not in (TYPE.INT32, TYPE.INT64)
        ]
        kinds = [kind for kind, _ in self._operators]
        self._output = int(self._graph.outputs[0])
        last = Graph(content).deciding(self._output)
        ends = last is not None and last.kind == SOFTMAX
        unknown = [kind for kind in kinds if kind not in (*TRANSLATIONS, *UNCHANGING, SOFTMAX)]
        unknown += [SOFTMAX] * (kinds.count(SOFTMAX) > ends)
        if unknown:
            raise QuantriftError(
                f"{path}: operation {unknown[0]} has no differentiable form; "
                "search this network with a tool that needs no gradients"
            )
        self._constants = {
            number: self._real(number, operator.inputs[0])
            for _, operator in self._operators
            for number in operator.inputs
            if number >= 0 and self._stored(number) is not None
        }

    def __call__(self, x: Any) -> dict[int, Any]:
        """Constants and activations by the numbers of their tensors, in the type of ``x``, a tensor (n, H, W, C)."""
        import tensorflow as tf

        real = x.dtype.as_numpy_dtype
        known: dict[int, Any] = {number: value.astype(real) for number, value in self._constants.items()}
        given = int(self._graph.inputs[0])
        known[given] = tf.reshape(x, (-1, *self._graph.tensors[given].shape[1:]))
        for kind, operator in self._operators:
            output = int(operator.outputs[0])
            operands = [known.get(number) for number in operator.inputs]
            if kind in UNCHANGING:
                known[output] = tf.reshape(operands[0], (-1, *self._graph.tensors[output].shape[1:]))
            elif kind == SOFTMAX:
                known[output] = operands[0]
            else:
                translated = TRANSLATIONS[kind]
                if kind == "FULLY_CONNECTED" and self._dense_rows:
                    translated = _filled(translated, self._dense_rows)
                result = translated(tf, operator.builtinOptions, *operands)
                known[output] = _activated(tf, getattr(operator.builtinOptions, "fusedActivationFunction", 0), result)
        return known

    def logits(self, x: Any) -> Any:
        """Logits of a tensor (n, H, W, C): a tensor (n, K) of the same type."""
        known: Any = self(x)[self._output]
        return known

    def _stored(self, number: int) -> np.ndarray | None:
        """The numbers that the file holds for a tensor, as they are; None for what is computed."""
        tensor = self._graph.tensors[number]
        data = self._buffers[tensor.buffer].data
        if data is None or not len(data):
            return None
        if tensor.type not in REAL:
            raise QuantriftError(f"{self._path}: tensor {tensor.name.decode()} is of a type that cannot be translated")
        return np.asarray(data, np.uint8).view(REAL[tensor.type]).reshape(tensor.shape)

    def _real(self, number: int, beside: int) -> np.ndarray:
        """Real numbers that the stored ones of a tensor stand for, float64, for each channel by its own scale.

        ``beside`` is the tensor that an operation takes them together with.
        """
        values = np.asarray(self._stored(number))
        if values.dtype == np.uint8 and self._graph.tensors[beside].type == TYPE.FLOAT32:
            # Old converters store signed weights as unsigned bytes; kernels that take them with floats read them as
            # signed.
            values = values.view(np.int8)
        values = values.astype(np.float64)
        how = self._graph.tensors[number].quantization
        if how is None or how.scale is None or not len(how.scale):
            return values
        shape = [1] * values.ndim
        shape[how.quantizedDimension if len(how.scale) > 1 else 0] = len(how.scale)
        return (values - np.reshape(how.zeroPoint, shape)) * np.reshape(how.scale, shape)


def _activated(tf: Any, kind: int, x: Any) -> Any:
    """``x`` after the activation that is fused with an operation."""
    match kind:
        case schema.ActivationFunctionType.NONE:
            return x
        case schema.ActivationFunctionType.RELU:
            return tf.nn.relu(x)
        case schema.ActivationFunctionType.RELU6:
            return tf.nn.relu6(x)
    raise QuantriftError(
        f"activation {kind} of the .tflite schema has no differentiable form; search without gradients"
    )


def _convolution(tf: Any, how: Any, x: Any, kernel: Any, bias: Any = None) -> Any:
    """Kernels are laid out (out, rows, columns, in)."""
    strides, dilations = (how.strideH, how.strideW), (how.dilationHFactor, how.dilationWFactor)
    y = tf.nn.conv2d(x, tf.transpose(kernel, (1, 2, 3, 0)), strides, PADDING[how.padding], dilations=dilations)
    return y if bias is None else y + bias


def _depthwise(tf: Any, how: Any, x: Any, kernel: Any, bias: Any = None) -> Any:
    """Kernels are laid out (1, rows, columns, out), the outputs of an input channel side by side."""
    kernel = tf.reshape(kernel, (*kernel.shape[1:3], -1, how.depthMultiplier))
    strides, dilations = (1, how.strideH, how.strideW, 1), (how.dilationHFactor, how.dilationWFactor)
    y = tf.nn.depthwise_conv2d(x, kernel, strides, PADDING[how.padding], dilations=dilations)
    return y if bias is None else y + bias


def _convolution_3d(tf: Any, how: Any, x: Any, kernel: Any, bias: Any = None) -> Any:
    """Kernels are laid out as in TensorFlow."""
    y = tf.nn.conv3d(x, kernel, (1, how.strideD, how.strideH, how.strideW, 1), PADDING[how.padding])
    return y if bias is None else y + bias


def _dense(tf: Any, how: Any, x: Any, kernel: Any, bias: Any = None) -> Any:
    """Kernels are laid out (out, in)."""
    flat = x if how.keepNumDims else tf.reshape(x, (-1, kernel.shape[1]))
    y = tf.tensordot(flat, tf.transpose(kernel), 1)
    return y if bias is None else y + bias


def _filled(operation: Callable[..., Any], rows: int) -> Callable[..., Any]:
    """The same operation, computed with at least so many rows: zeros are added, and their results left out."""

    def filled(tf: Any, how: Any, x: Any, *others: Any) -> Any:
        given = tf.shape(x)[0]
        added = tf.maximum(rows - given, 0)
        y = operation(tf, how, tf.pad(x, [(0, added), *[(0, 0)] * (len(x.shape) - 1)]), *others)
        # An input may have several rows there.
        return y[: tf.shape(y)[0] // (given + added) * given]

    return filled


def _pool(name: str) -> Callable[..., Any]:
    def pooled(tf: Any, how: Any, x: Any) -> Any:
        size, strides = (how.filterHeight, how.filterWidth), (how.strideH, how.strideW)
        return getattr(tf.nn, name)(x, size, strides, PADDING[how.padding])

    return pooled


def _rounded(tf: Any, how: Any, x: Any) -> Any:
    """Rounds in the forward pass; passes gradients unchanged."""
    return x + tf.stop_gradient(tf.round(x) - x)


TRANSLATIONS: dict[str, Callable[..., Any]] = {
    "CONV_2D": _convolution,
    "DEPTHWISE_CONV_2D": _depthwise,
    "CONV_3D": _convolution_3d,
    "FULLY_CONNECTED": _dense,
    "MAX_POOL_2D": _pool("max_pool2d"),
    "AVERAGE_POOL_2D": _pool("avg_pool2d"),
    "ADD": lambda tf, how, x, y: x + y,
    "SUB": lambda tf, how, x, y: x - y,
    "MUL": lambda tf, how, x, y: x * y,
    "MINIMUM": lambda tf, how, x, y: tf.minimum(x, y),
    "MAXIMUM": lambda tf, how, x, y: tf.maximum(x, y),
    "ROUND": _rounded,
    "RELU": lambda tf, how, x: tf.nn.relu(x),
    "RELU6": lambda tf, how, x: tf.nn.relu6(x),
    "MEAN": lambda tf, how, x, axes: tf.reduce_mean(x, axes.astype(int).tolist(), how.keepDims),
}
"""Operations by their names in the schema; each takes TensorFlow, the operation's settings and its operands."""
