"""Keras networks as .tflite files."""

import tempfile
from collections.abc import Callable

import keras
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
