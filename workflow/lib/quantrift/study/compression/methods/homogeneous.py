"""The same number of bits for every weight (thesis on heterogeneous quantization, Section 3.1 and Table 3.1)."""

from typing import Literal

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.training.original import Compressed, Original
from quantrift.core.settings.compressions import Homogeneous
from quantrift.study.compression.trainable import Trainable


class Settings(Homogeneous):
    """The same number of bits for every weight (thesis, Table 3.1); 32 means clipped only."""

    method: Literal["homogeneous"] = "homogeneous"


def compress(original: Original, inputs: Inputs, settings: Settings) -> Compressed:
    """See ``quantrift.study.compression.bits.given_bits``."""
    from quantrift.study.compression.bits import given_bits

    return given_bits.compressed(original, inputs, settings)


def trainable(original: Original, inputs: Inputs, settings: Settings) -> Trainable:
    """See ``quantrift.study.compression.bits.given_bits``; of the form ``trained``."""
    from quantrift.study.compression.bits import given_bits

    return given_bits.trainable(original, inputs, settings)
