"""Inputs beyond the integer range at a compressed network's input: a finding, or a wrong scale."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from quantrift.core.base.errors import QuantriftError
from quantrift.judge.intake.expected_inputs import Expected, Range

FEW = 0.01
"""Share of values that calibration may cut off; more is a finding."""
OUTSIDE = 0.25
"""Share of the values beyond a tenth of the range of a network's integers from which these are for another scale."""
WIDER = 4.0
"""Largest ratio of the range of inputs to that range; squared, the reverse."""


@dataclass(frozen=True)
class Finding:
    """A compressed network whose input was made for other values than the inputs hold."""

    network: str
    """Name of the network's file."""
    title: str
    """Its input, as ``Expected.title`` says it."""
    share: float
    """Share of the inputs' values that its integers cannot represent."""
    range: Range
    """Least and greatest value that its integers stand for."""
    inputs: Range
    """Least and greatest value of the inputs."""

    @property
    def text(self) -> str:
        """The finding on one line."""
        low, high = self.range
        least, most = self.inputs
        cut = f"{self.share:.1%} of the values are cut off" if self.share else "most of its steps are never used"
        return (
            f"{self.title} stands for {low:.4g} to {high:.4g}, but the inputs, which the original takes as they are, "
            f"reach from {least:.4g} to {most:.4g}: {cut}; calibrate it on inputs like these"
        )


def saturated(values: np.ndarray, own: Expected, others: Sequence[Expected], right: bool, file: Path) -> list[Finding]:
    """Compressed networks whose input loses what the original's does not.

    Args:
        values: inputs as the networks take them.
        own: inputs that the original's file asks for.
        others: likewise of the compressed networks.
        right: whether it is known that the original was made for these values.
        file: name of the inputs, for messages.

    Raises:
        QuantriftError: the original's input was made for others too; or it is not known for what it was made, and a
            compressed network's is for others.
    """
    inputs = float(values.min()), float(values.max())
    if _is_for_others(values, own):
        raise QuantriftError(f"{_refusal(file, inputs, own)}; scale them as the networks want them")
    findings = []
    for one in others:
        share, wrong = one.outside(values), _is_for_others(values, one)
        if wrong and not right:
            raise QuantriftError(
                f"{_refusal(file, inputs, one)}; scale them as the networks want them or, if the original takes them "
                f"so, say --range {inputs[0]:.4g} {inputs[1]:.4g}"
            )
        if one.range is not None and (wrong or share > own.outside(values) + FEW):
            findings.append(Finding(one.name, one.title, share, one.range, inputs))
    return findings


def _refusal(file: Path, inputs: Range, one: Expected) -> str:
    assert one.range is not None
    low, high = one.range
    return (
        f"{file}: inputs out of range: they reach from {inputs[0]:.4g} to {inputs[1]:.4g}, but "
        f"{one.title} stands for {low:.4g} to {high:.4g}"
    )


def _is_for_others(values: np.ndarray, one: Expected) -> bool:
    """Whether values lie outside the range of a network's integers, or in a small part of it."""
    if one.range is None:
        return False
    low, high = one.range
    room = (high - low) / 10
    outside = float(((values < low - room) | (values > high + room)).mean())
    ratio = (float(values.max()) - float(values.min())) / (high - low)
    return outside > OUTSIDE or ratio > WIDER or ratio < 1 / WIDER**2
