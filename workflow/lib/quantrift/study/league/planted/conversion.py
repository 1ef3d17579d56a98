"""Conversions of trained networks to .tflite files."""

from collections.abc import Iterator
from typing import Literal

import keras
import numpy as np
import tensorflow as tf

from quantrift.core.networks.tflite_files import to_tflite

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
