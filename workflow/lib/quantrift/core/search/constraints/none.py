"""No constraint: every input is valid. The distance from the seed input is recorded all the same."""

from dataclasses import dataclass

from quantrift.core.search.constraint import Constraint, Peak


@dataclass(frozen=True)
class Params:
    """Settings of the record alone, as every input is valid."""

    peak: Peak = "data_range"
    """Definition of the peak of the PSNR that is recorded."""


bind = Constraint
