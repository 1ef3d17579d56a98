"""The same number of bits for every weight (thesis on heterogeneous quantization, Section 3.1 and Table 3.1)."""

from functools import partial
from typing import Literal

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.training.original import Compressed, Original
from quantrift.core.settings.compressions import Homogeneous
from quantrift.study.compression.trainable import Trainable


class Settings(Homogeneous):
    """The same number of bits for every weight (thesis, Table 3.1); 32 means clipped only."""

    method: Literal["homogeneous"] = "homogeneous"


def compress(original: Original, inputs: Inputs, settings: Settings) -> Compressed:
    """The network with its weights rounded to ``settings.bits`` bits (``quantrift.study.compression.bits.given_bits``).

    Raises:
        QuantriftError: if a network from a file is to be trained anew.
    """
    from quantrift.study.compression.bits import bit_tensors, given_bits

    bits_for = partial(bit_tensors.homogeneous, settings.bits)
    return given_bits.compressed(original, inputs, settings, bits_for)


def trainable(original: Original, inputs: Inputs, settings: Settings) -> Trainable:
    """See ``quantrift.study.compression.method``; of the form ``trained``."""
    from quantrift.study.compression.bits import bit_tensors, given_bits

    return given_bits.trainable(original, inputs, partial(bit_tensors.homogeneous, settings.bits))
