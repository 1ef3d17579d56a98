"""The same number of bits for every weight (thesis on heterogeneous quantization, Section 3.1 and Table 3.1)."""

from functools import partial
from typing import Literal

from quantrift.compression.original import Compressed, Original
from quantrift.compression.trainable import Trainable
from quantrift.config.compressions import Homogeneous
from quantrift.data.inputs import Inputs


class Settings(Homogeneous):
    """The same number of bits for every weight (thesis, Table 3.1); 32 means clipped only."""

    method: Literal["homogeneous"] = "homogeneous"


def compress(original: Original, inputs: Inputs, settings: Settings) -> Compressed:
    """The network with its weights rounded to ``settings.bits`` bits (``quantrift.compression.bits.given_bits``).

    Raises:
        QuantriftError: if a network from a file is to be trained anew.
    """
    from quantrift.compression.bits import bit_tensors, given_bits

    bits_for = partial(bit_tensors.homogeneous, settings.bits)
    return given_bits.compressed(original, inputs, settings, bits_for)


def trainable(original: Original, inputs: Inputs, settings: Settings) -> Trainable:
    """See ``quantrift.compression.method``; of the form ``trained``."""
    from quantrift.compression.bits import bit_tensors, given_bits

    return given_bits.trainable(original, inputs, partial(bit_tensors.homogeneous, settings.bits))
