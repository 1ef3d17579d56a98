"""Conversions of trained networks to files, and the object form of .tflite files."""

from collections.abc import Callable, Iterator
from typing import Any, Literal

import keras
import numpy as np
import tensorflow as tf
from ai_edge_litert import schema_py_generated as schema

from quantrift.models.tflite_files import to_tflite

Border = Literal["float32", "int8"]
"""Type of the input and of the logits."""


def float16(model: keras.Model) -> bytes:
    """A .tflite file with weights in 16 bits."""

    def configure(converter: tf.lite.TFLiteConverter) -> None:
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.target_spec.supported_types = [tf.float16]

    return to_tflite(model, configure)


def dynamic(model: keras.Model) -> bytes:
    """A .tflite file with weights in 8 bits and activations quantized as they come."""

    def configure(converter: tf.lite.TFLiteConverter) -> None:
        converter.optimizations = [tf.lite.Optimize.DEFAULT]

    return to_tflite(model, configure)


def int8(model: keras.Model, samples: np.ndarray, per_channel: bool = True, border: Border = "float32") -> bytes:
    """A .tflite file in 8 bits throughout.

    Args:
        model: the network.
        samples: float32 (n, H, W, C), on which the ranges of activations are measured.
        per_channel: whether each output channel's weights have a scale of their own.
        border: of the file.
    """

    def configure(converter: tf.lite.TFLiteConverter) -> None:
        _calibrated(converter, samples)
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        converter._experimental_disable_per_channel = not per_channel
        converter._experimental_disable_per_channel_quantization_for_dense_layers = not per_channel
        if border == "int8":
            converter.inference_input_type = converter.inference_output_type = tf.int8

    return to_tflite(model, configure)


def int8_16(model: keras.Model, samples: np.ndarray) -> bytes:
    """A .tflite file with weights in 8 bits and activations in 16."""

    def configure(converter: tf.lite.TFLiteConverter) -> None:
        _calibrated(converter, samples)
        converter.target_spec.supported_ops = [
            tf.lite.OpsSet.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8
        ]

    return to_tflite(model, configure)


def _calibrated(converter: tf.lite.TFLiteConverter, samples: np.ndarray) -> None:
    def batches() -> Iterator[list[np.ndarray]]:
        return ([samples[number : number + 1]] for number in range(len(samples)))

    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = batches


def edited(file: bytes, change: Callable[[schema.ModelT], None]) -> bytes:
    """A .tflite file after ``change`` was made to its object form."""
    model = unpacked(file)
    change(model)
    return packed(model)


def unpacked(file: bytes) -> schema.ModelT:
    """The object form of a .tflite file."""
    return schema.ModelT.InitFromObj(schema.Model.GetRootAs(file, 0))


def packed(model: schema.ModelT) -> bytes:
    """The .tflite file of an object form."""
    # Comes with ai-edge-litert, whose schema needs it.
    import flatbuffers

    builder = flatbuffers.Builder(2**16)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def weighted(model: schema.ModelT) -> list[tuple[Any, Any]]:
    """Weights and bias, both tensors, of each convolution and dense layer, in the order of computation."""
    kinds = {
        schema.BuiltinOperator.CONV_2D,
        schema.BuiltinOperator.DEPTHWISE_CONV_2D,
        schema.BuiltinOperator.FULLY_CONNECTED,
    }
    codes = [max(code.builtinCode, code.deprecatedBuiltinCode) for code in model.operatorCodes]
    graph = model.subgraphs[0]
    found = [one for one in graph.operators if codes[one.opcodeIndex] in kinds]
    return [(graph.tensors[one.inputs[1]], graph.tensors[one.inputs[2]]) for one in found]


def values(model: schema.ModelT, tensor: Any) -> np.ndarray:
    """The integers of a constant tensor, a copy in its shape."""
    kind = {schema.TensorType.INT8: np.int8, schema.TensorType.INT32: np.int32}[tensor.type]
    stored = np.asarray(model.buffers[tensor.buffer].data, np.uint8)
    return np.frombuffer(stored.tobytes(), kind).reshape(tensor.shape).copy()


def store(model: schema.ModelT, tensor: Any, new: np.ndarray) -> None:
    """Write integers over those of a constant tensor, in their type."""
    model.buffers[tensor.buffer].data = np.frombuffer(new.tobytes(), np.uint8)
