"""Conversion to TFLite without any quantization (DiffChaser, Table 2, "Conv.")."""

from typing import Literal

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.training.original import Compressed, Original
from quantrift.core.settings.compressions import Compression


class Settings(Compression):
    """Conversion without quantization; the original is the Keras network itself (DiffChaser, Table 2, "Conv.")."""

    method: Literal["tflite_float"] = "tflite_float"


def compress(original: Original, inputs: Inputs, settings: Settings) -> Compressed:
    """The network as published, batch normalisation and 3-D convolutions included, in float32.

    What differs from the original is the order of sums and the folding of layers alone.
    """
    from quantrift.core.networks.tflite_files import to_tflite

    return Compressed(to_tflite(original.network))
