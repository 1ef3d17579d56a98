"""A number of bits for each weight, drawn within a budget (thesis on heterogeneous quantization, Section 3.1)."""

from collections.abc import Sequence

from quantrift.compression import bit_tensors
from quantrift.compression.bit_tensors import Shape
from quantrift.compression.given_bits import compressed
from quantrift.compression.original import Compressed, Original
from quantrift.compression.rounding import Bits
from quantrift.config.compressions import Heterogeneous
from quantrift.data.inputs import Inputs


def compress(original: Original, inputs: Inputs, settings: Heterogeneous) -> Compressed:
    """The network with its weights rounded to bits drawn from ``settings.seed`` (``quantrift.compression.given_bits``).

    Raises:
        QuantriftError: if the bits drawn exceed the budget by more than one weight's, or if a network from a file is to
            be trained anew.
    """

    def bits_for(shapes: Sequence[Shape]) -> list[Bits]:
        return bit_tensors.heterogeneous(settings.bits, settings.shares, settings.budget, shapes, settings.seed)

    return compressed(original, inputs, settings, bits_for)
