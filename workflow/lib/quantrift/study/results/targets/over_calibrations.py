"""Targets over calibrations: strengths of distortions on the inputs of networks."""

from typing import Annotated

from pydantic import Field

from quantrift.core.settings.references import CalibrationId
from quantrift.study.results.targets.target import SubjectTarget


class CalibrationTarget(SubjectTarget):
    """A target over calibrations."""

    calibrations: Annotated[list[CalibrationId], Field(min_length=1)]
    """Each is shown on the inputs of each network."""
