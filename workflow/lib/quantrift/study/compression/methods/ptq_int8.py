"""Post-training quantization of weights and activations to 8-bit integers (Jacob et al. 2018)."""

from typing import Literal

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.training.original import Compressed, Original
from quantrift.core.settings.compressions import InEightBits, Representative


class Settings(Representative, InEightBits):
    """Post-training 8-bit quantization of weights and activations of the 2-D twin."""

    method: Literal["ptq_int8"] = "ptq_int8"


def compress(original: Original, inputs: Inputs, settings: Settings) -> Compressed:
    """The 2-D twin in 8 bits throughout, ranges as ``full_integer`` measures them."""
    from quantrift.study.compression.full_integer import full_integer

    return Compressed(full_integer(original.twin, inputs, settings))
