"""Conversions of trained networks to compressed files, and recipes of such files."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import keras
import numpy as np
import tensorflow as tf

from quantrift.core.base.files import write_file
from quantrift.core.networks.tflite_files import optimized, to_tflite
from quantrift.study.league.planted.trained_networks import Trained

Border = Literal["float32", "int8"]
"""Type of the input and of the logits."""
LENET, SEPARABLE, RESIDUAL = "lenet5", "separable", "residual"
"""Names of the networks."""


@dataclass(frozen=True)
class Recipe:
    """A kind of compressed file, broken or good, made of a trained network."""

    name: str
    made: str
    """Description, for people."""
    make: Callable[[Trained], bytes]
    """Makes the content of the file."""
    networks: Sequence[str] = (LENET, SEPARABLE, RESIDUAL)
    """Names of the networks that it applies to."""
    suffix: str = ".tflite"
    """Suffix of the file, and of the original beside it if it is .onnx."""
    source: Callable[[Trained], keras.Model] | None = None
    """The original, where it is not the network itself."""


def kept(path: Path, make: Callable[[], bytes]) -> None:
    """Make a file that is not there."""
    if not path.is_file():
        write_file(path, make())


def float16(model: keras.Model) -> bytes:
    """A .tflite file with weights in 16 bits."""
    return optimized(model, supported_types=[tf.float16])


def dynamic(model: keras.Model) -> bytes:
    """A .tflite file with weights in 8 bits and activations quantized as they come."""
    return optimized(model)


def int8(model: keras.Model, samples: np.ndarray, per_channel: bool = True, border: Border = "float32") -> bytes:
    """A .tflite file in 8 bits throughout.

    Args:
        model: the network.
        samples: float32 (n, H, W, C), on which the ranges of activations are measured.
        per_channel: whether each output channel's weights have a scale of their own.
        border: of the file.
    """

    def configure(converter: tf.lite.TFLiteConverter) -> None:
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = partial(_one_by_one, samples)
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        converter._experimental_disable_per_channel = not per_channel
        converter._experimental_disable_per_channel_quantization_for_dense_layers = not per_channel
        if border == "int8":
            converter.inference_input_type = converter.inference_output_type = tf.int8

    return to_tflite(model, configure)


def int8_16(model: keras.Model, samples: np.ndarray) -> bytes:
    """A .tflite file with weights in 8 bits and activations in 16."""
    operations = tf.lite.OpsSet.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8
    return optimized(model, partial(_one_by_one, samples), supported_ops=[operations])


def _one_by_one(samples: np.ndarray) -> Iterator[list[np.ndarray]]:
    return ([one[None]] for one in samples)
