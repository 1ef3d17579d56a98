"""A number of bits for each weight, drawn within a budget (thesis on heterogeneous quantization, Section 3.1)."""

from collections.abc import Sequence
from functools import partial

from quantrift.compression.bits import bit_tensors, given_bits
from quantrift.compression.bits.bit_tensors import Shape
from quantrift.compression.bits.rounding import Bits
from quantrift.compression.original import Compressed, Original
from quantrift.compression.trainable import Trainable
from quantrift.config.compressions import Heterogeneous
from quantrift.data.inputs import Inputs


def compress(original: Original, inputs: Inputs, settings: Heterogeneous) -> Compressed:
    """The network with its weights rounded to bits drawn from ``settings.seed``
    (``quantrift.compression.bits.given_bits``).

    Raises:
        QuantriftError: if the bits drawn exceed the budget by more than one weight's, or if a network from a file is to
            be trained anew.
    """
    return given_bits.compressed(original, inputs, settings, partial(_bits, settings))


def trainable(original: Original, inputs: Inputs, settings: Heterogeneous) -> Trainable:
    """See ``quantrift.compression.method``; of the form ``trained``."""
    return given_bits.trainable(original, inputs, partial(_bits, settings))


def _bits(settings: Heterogeneous, shapes: Sequence[Shape]) -> list[Bits]:
    return bit_tensors.heterogeneous(settings.bits, settings.shares, settings.budget, shapes, settings.seed)
