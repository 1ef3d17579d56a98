"""A number of bits for each weight, drawn within a budget (thesis on heterogeneous quantization, Section 3.1)."""

from typing import Literal

from quantrift.core.settings.compressions import Heterogeneous
from quantrift.study.compression.methods.homogeneous import compress as compress
from quantrift.study.compression.methods.homogeneous import trainable as trainable


class Settings(Heterogeneous):
    """A number of bits for each weight, drawn from a distribution within a budget (thesis, Tables 3.2 and 3.3)."""

    method: Literal["heterogeneous"] = "heterogeneous"
