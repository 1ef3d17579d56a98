"""Post-training 8-bit weights with activations quantized as they come ("dynamic range")."""

import tensorflow as tf

from quantrift.compression.original import Compressed, Original
from quantrift.config.compressions import PtqDynamic
from quantrift.data.inputs import Inputs
from quantrift.models.tflite_files import to_tflite


def compress(original: Original, inputs: Inputs, settings: PtqDynamic) -> Compressed:
    """The 2-D twin with 8-bit weights; each input is quantized by its own range, results stay float32."""

    def configure(converter: tf.lite.TFLiteConverter) -> None:
        converter.optimizations = [tf.lite.Optimize.DEFAULT]

    return Compressed(to_tflite(original.twin, configure))
