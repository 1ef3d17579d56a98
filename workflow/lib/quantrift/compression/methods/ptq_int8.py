"""Post-training quantization of weights and activations to 8-bit integers (Jacob et al. 2018)."""

from quantrift.compression.full_integer import full_integer
from quantrift.compression.original import Compressed, Original
from quantrift.config.compressions import PtqInt8
from quantrift.data.inputs import Inputs


def compress(original: Original, inputs: Inputs, settings: PtqInt8) -> Compressed:
    """The 2-D twin in 8 bits throughout, ranges as ``full_integer`` measures them."""
    return Compressed(full_integer(original.twin, inputs, settings))
