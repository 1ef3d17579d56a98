"""A number of bits for each weight, drawn within a budget (thesis on heterogeneous quantization, Section 3.1)."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal

from quantrift.compression.original import Compressed, Original
from quantrift.compression.trainable import Trainable
from quantrift.config.compressions import Heterogeneous
from quantrift.data.inputs import Inputs

if TYPE_CHECKING:
    from quantrift.compression.bits.bit_tensors import Shape
    from quantrift.compression.bits.rounding import Bits


class Settings(Heterogeneous):
    """A number of bits for each weight, drawn from a distribution within a budget (thesis, Tables 3.2 and 3.3)."""

    method: Literal["heterogeneous"] = "heterogeneous"


def compress(original: Original, inputs: Inputs, settings: Settings) -> Compressed:
    """The network with its weights rounded to bits drawn from ``settings.seed``
    (``quantrift.compression.bits.given_bits``).

    Raises:
        QuantriftError: if the bits drawn exceed the budget by more than one weight's, or if a network from a file is to
            be trained anew.
    """
    from quantrift.compression.bits import given_bits

    return given_bits.compressed(original, inputs, settings, partial(_bits, settings))


def trainable(original: Original, inputs: Inputs, settings: Settings) -> Trainable:
    """See ``quantrift.compression.method``; of the form ``trained``."""
    from quantrift.compression.bits import given_bits

    return given_bits.trainable(original, inputs, partial(_bits, settings))


def _bits(settings: Settings, shapes: Sequence["Shape"]) -> list["Bits"]:
    from quantrift.compression.bits import bit_tensors

    return bit_tensors.heterogeneous(settings.bits, settings.shares, settings.budget, shapes, settings.seed)
