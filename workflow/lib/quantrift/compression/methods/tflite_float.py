"""Conversion to TFLite without any quantization (DiffChaser, Table 2, "Conv.")."""

from quantrift.compression.original import Compressed, Original
from quantrift.config.compressions import TfliteFloat
from quantrift.data.inputs import Inputs
from quantrift.models.tflite_files import to_tflite


def compress(original: Original, inputs: Inputs, settings: TfliteFloat) -> Compressed:
    """The network as published, batch normalisation and 3-D convolutions included, in float32.

    What differs from the original is the order of sums and the folding of layers alone.
    """
    return Compressed(to_tflite(original.network))
