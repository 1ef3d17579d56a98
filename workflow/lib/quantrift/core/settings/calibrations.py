"""Settings of calibrations: strengths of the distortions of a space."""

from typing import Annotated

from pydantic import Field, model_validator

from quantrift.core.settings.fields import Fraction, Strict, refuse
from quantrift.core.settings.part_settings import Part

KINDS = ("space", "constraint")
"""Parts that a calibration shares with the tools that use it."""


class Calibration(Strict):
    """Narrows each distortion's range until the constraint holds for the median of its inputs (DiverGet §4.3 (ii)).

    It looks at training inputs alone, and at no network.
    """

    title: str | None = None
    """Display name; the id where it is not given."""
    space: Part
    """Space whose ``strengths`` are calibrated."""
    constraint: Part
    inputs: Annotated[int, Field(ge=1)] = 100
    """Training inputs, drawn without repetition; all where there are fewer (chosen)."""
    draws: Annotated[int, Field(ge=1)] = 10
    """Candidates of each input for each distortion and strength (chosen)."""
    compounds: Annotated[int, Field(ge=1)] = 50
    """Candidates of each input from which validity rates are measured; a coin switches each distortion on or off
    (chosen)."""
    steps: Annotated[int, Field(ge=1)] = 20
    """Strengths that are tried, evenly spaced: 1, ..., 1 / steps (chosen)."""
    anchor: Fraction | None = None
    """Published validity rate of random sampling; the strengths found are then multiplied by one factor that comes
    nearest to it, and results are marked as fitted."""

    @model_validator(mode="after")
    def _strengths_are_open(self) -> "Calibration":
        for kind in KINDS:
            getattr(self, kind).resolve(kind)
        space, params = self.space.name, self.space.params
        none, found = "take one that has, like hsi_distortions", "a calibration finds them; leave them out"
        refuse(
            {
                f"space: '{space}' has no strengths; {none}": "strengths" not in params,
                f"space.{space}.strengths: {found}": params.get("strengths"),
            }
        )
        return self
