"""Keras networks as .tflite files."""

import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import keras
import numpy as np
import tensorflow as tf


def to_tflite(model: keras.Model, configure: Callable[[tf.lite.TFLiteConverter], None] | None = None) -> bytes:
    """Content of the .tflite file of ``model``, float32 unless ``configure`` sets the converter otherwise.

    The batch stays open: the file runs on any number of inputs at once.
    """
    with tempfile.TemporaryDirectory() as folder:
        # Handing the converter the model itself does the same, but prints its signature.
        model.export(folder, format="tf_saved_model", verbose=False)
        converter = tf.lite.TFLiteConverter.from_saved_model(folder)
        if configure is not None:
            configure(converter)
        return converter.convert()


def optimized(
    model: keras.Model, samples: Callable[[], Iterator[list[np.ndarray]]] | None = None, **target: Any
) -> bytes:
    """Content of the .tflite file of ``model``, optimized as the converter does by default: weights in 8 bits.

    Args:
        model: the network.
        samples: gives inputs, one at a time, on which the ranges of activations are measured.
        target: fields of the converter's ``target_spec``, such as ``supported_ops``.
    """

    def configure(converter: tf.lite.TFLiteConverter) -> None:
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = samples
        for name, value in target.items():
            setattr(converter.target_spec, name, value)

    return to_tflite(model, configure)
