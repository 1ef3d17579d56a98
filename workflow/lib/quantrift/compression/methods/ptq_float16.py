"""Post-training weights in 16-bit floating point."""

import tensorflow as tf

from quantrift.compression.original import Compressed, Original
from quantrift.config.compressions import PtqFloat16
from quantrift.data.inputs import Inputs
from quantrift.models.tflite_files import to_tflite


def compress(original: Original, inputs: Inputs, settings: PtqFloat16) -> Compressed:
    """The 2-D twin with weights stored in 16 bits and widened to 32 before the network runs."""

    def configure(converter: tf.lite.TFLiteConverter) -> None:
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.target_spec.supported_types = [tf.float16]

    return Compressed(to_tflite(original.twin, configure))
