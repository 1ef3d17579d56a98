"""The same number of bits for every weight (thesis on heterogeneous quantization, Section 3.1 and Table 3.1)."""

from functools import partial

from quantrift.compression.bits import bit_tensors, given_bits
from quantrift.compression.original import Compressed, Original
from quantrift.compression.trainable import Trainable
from quantrift.config.compressions import Homogeneous
from quantrift.data.inputs import Inputs


def compress(original: Original, inputs: Inputs, settings: Homogeneous) -> Compressed:
    """The network with its weights rounded to ``settings.bits`` bits (``quantrift.compression.bits.given_bits``).

    Raises:
        QuantriftError: if a network from a file is to be trained anew.
    """
    bits_for = partial(bit_tensors.homogeneous, settings.bits)
    return given_bits.compressed(original, inputs, settings, bits_for)


def trainable(original: Original, inputs: Inputs, settings: Homogeneous) -> Trainable:
    """See ``quantrift.compression.method``; of the form ``trained``."""
    return given_bits.trainable(original, inputs, partial(bit_tensors.homogeneous, settings.bits))
