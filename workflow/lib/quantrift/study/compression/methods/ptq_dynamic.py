"""Post-training 8-bit weights with activations quantized as they come ("dynamic range")."""

from typing import Literal

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.training.original import Compressed, Original
from quantrift.core.settings.compressions import Compression


class Settings(Compression):
    """Post-training 8-bit weights; activations are quantized as they come, with ranges of each input."""

    method: Literal["ptq_dynamic"] = "ptq_dynamic"


def compress(original: Original, inputs: Inputs, settings: Settings) -> Compressed:
    """The 2-D twin with 8-bit weights; each input is quantized by its own range, results stay float32."""
    from quantrift.core.networks.tflite_files import optimized

    return Compressed(optimized(original.twin))
