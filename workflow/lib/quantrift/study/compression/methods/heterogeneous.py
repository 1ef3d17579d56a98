"""A number of bits for each weight, drawn within a budget (thesis on heterogeneous quantization, Section 3.1)."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.training.original import Compressed, Original
from quantrift.core.settings.compressions import Heterogeneous
from quantrift.study.compression.trainable import Trainable

if TYPE_CHECKING:
    from quantrift.study.compression.bits.bit_tensors import Shape
    from quantrift.study.compression.bits.rounding import Bits


class Settings(Heterogeneous):
    """A number of bits for each weight, drawn from a distribution within a budget (thesis, Tables 3.2 and 3.3)."""

    method: Literal["heterogeneous"] = "heterogeneous"


def compress(original: Original, inputs: Inputs, settings: Settings) -> Compressed:
    """The network with its weights rounded to bits drawn from ``settings.seed``
    (``quantrift.study.compression.bits.given_bits``).

    Raises:
        QuantriftError: if the bits drawn exceed the budget by more than one weight's, or if a network from a file is to
            be trained anew.
    """
    from quantrift.study.compression.bits import given_bits

    return given_bits.compressed(original, inputs, settings, partial(_bits, settings))


def trainable(original: Original, inputs: Inputs, settings: Settings) -> Trainable:
    """See ``quantrift.study.compression.method``; of the form ``trained``."""
    from quantrift.study.compression.bits import given_bits

    return given_bits.trainable(original, inputs, partial(_bits, settings))


def _bits(settings: Settings, shapes: Sequence["Shape"]) -> list["Bits"]:
    from quantrift.study.compression.bits import bit_tensors

    return bit_tensors.heterogeneous(settings.bits, settings.shares, settings.budget, shapes, settings.seed)
