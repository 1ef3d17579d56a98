"""Networks and inputs of a mending, loaded and checked."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from quantrift.core.base.inputs import Inputs
from quantrift.judge.intake.given_inputs import Arrays
from quantrift.judge.intake.given_networks import Ready
from quantrift.judge.mend.parts import Parts, part_of
from quantrift.judge.mend.sample import Sample, drawn
from quantrift.judge.mend.settings import Settings
from quantrift.judge.verdict.profiles import Settings as Assessed


@dataclass(frozen=True, eq=False)
class GivenPair:
    """Networks and inputs of a mending, loaded and checked."""

    original: Ready
    compressed: Ready
    base: Path
    """The original in float, as it is quantized."""
    arrays: Arrays
    inputs: Inputs
    parts: Parts
    asked: Assessed
    """How natural changes are drawn."""
    settings: Settings

    def sample(self, part: Literal["calibration", "selection", "fresh"], changes: int) -> Sample:
        """One part of the inputs with natural changes."""
        inputs = part_of(self.inputs, getattr(self.parts, part))
        labelled = self.arrays.labels is not None
        limits = self.settings.tightened if part == "selection" else self.settings.limits
        return drawn(self.original, inputs, labelled, limits, self.asked, changes)
