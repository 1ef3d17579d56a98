"""Post-training weights in 16-bit floating point."""

from typing import Literal

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.training.original import Compressed, Original
from quantrift.core.settings.compressions import Compression


class Settings(Compression):
    """Post-training weights in 16-bit floating point, computed in 32 bits."""

    method: Literal["ptq_float16"] = "ptq_float16"


def compress(original: Original, inputs: Inputs, settings: Settings) -> Compressed:
    """The 2-D twin with weights stored in 16 bits and widened to 32 before the network runs."""
    import tensorflow as tf

    from quantrift.core.networks.tflite_files import optimized

    return Compressed(optimized(original.twin, supported_types=[tf.float16]))
