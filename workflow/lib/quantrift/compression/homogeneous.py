"""The same number of bits for every weight (thesis on heterogeneous quantization, Section 3.1 and Table 3.1)."""

from quantrift.compression import bit_tensors
from quantrift.compression.given_bits import compressed
from quantrift.compression.original import Compressed, Original
from quantrift.config.compressions import Homogeneous
from quantrift.data.inputs import Inputs


def compress(original: Original, inputs: Inputs, settings: Homogeneous) -> Compressed:
    """The network with its weights rounded to ``settings.bits`` bits (``quantrift.compression.given_bits``).

    Raises:
        QuantriftError: if a network from a file is to be trained anew.
    """
    return compressed(original, inputs, settings, lambda shapes: bit_tensors.homogeneous(settings.bits, shapes))
