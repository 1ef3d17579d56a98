"""A number of bits for each weight, drawn within a budget (thesis on heterogeneous quantization, Section 3.1)."""

from typing import Literal

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.training.original import Compressed, Original
from quantrift.core.settings.compressions import Heterogeneous
from quantrift.study.compression.trainable import Trainable


class Settings(Heterogeneous):
    """A number of bits for each weight, drawn from a distribution within a budget (thesis, Tables 3.2 and 3.3)."""

    method: Literal["heterogeneous"] = "heterogeneous"


def compress(original: Original, inputs: Inputs, settings: Settings) -> Compressed:
    """See ``quantrift.study.compression.bits.given_bits``."""
    from quantrift.study.compression.bits import given_bits

    return given_bits.compressed(original, inputs, settings)


def trainable(original: Original, inputs: Inputs, settings: Settings) -> Trainable:
    """See ``quantrift.study.compression.bits.given_bits``; of the form ``trained``."""
    from quantrift.study.compression.bits import given_bits

    return given_bits.trainable(original, inputs, settings)
