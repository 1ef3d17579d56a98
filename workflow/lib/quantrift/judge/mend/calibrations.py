"""Choices of calibration, which cost nothing: methods for ranges, and inputs to measure them on."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from quantrift.judge.mend.builder import Builder
from quantrift.judge.mend.mending import Calibration
from quantrift.judge.mend.ranges import METHODS, Method, Ranges, measured
from quantrift.judge.mend.sample import Sample
from quantrift.judge.mend.trials import Trials

GIVEN, CHANGED = "given", "given and changed"
BATCH = 8
"""Inputs whose activations are all in memory at once."""


@dataclass(frozen=True, eq=False)
class Tried:
    """A choice of calibration, and the network that it gives with everything in 8 bits."""

    method: Method
    inputs: str
    trials: Trials

    @property
    def events(self) -> int:
        """Disagreements with everything in 8 bits."""
        return self.trials(()).counted.events

    @property
    def passes(self) -> bool:
        """Whether every limit is shown to be kept with everything in 8 bits."""
        return self.trials(()).counted.passes

    def told(self, chosen: "Tried") -> Calibration:
        """As results have it."""
        counted = self.trials(()).counted
        return Calibration(
            self.method, self.inputs, counted.events, counted.cases, counted.rate, counted.passes, self is chosen
        )


def tried(
    builder: Builder, calibration: Sample, selection: Sample, runtime: str, told: Callable[[], None]
) -> list[Tried]:
    """Every choice, on the selection inputs; the ranges come from the inputs for calibration alone."""
    return [
        Tried(method, inputs, Trials(builder, ranges[method], selection, runtime, told))
        for inputs, ranges in ((name, ranges_of(builder, calibration, name)) for name in (GIVEN, CHANGED))
        for method in METHODS
    ]


def best(choices: Sequence[Tried]) -> Tried:
    """The choice that keeps the limits with the fewest disagreements, or of all the one with the fewest.

    The first of them on ties.
    """
    return min(choices, key=lambda one: (not one.passes, one.events))


def ranges_of(builder: Builder, calibration: Sample, inputs: str) -> Mapping[Method, Ranges]:
    """Ranges by each method, from the inputs for calibration: ``GIVEN``, or with their changes, ``CHANGED``."""
    given = calibration.inputs.take(calibration.inputs.test)
    parts = [given] if inputs == GIVEN else [given, calibration.changed]

    def batches() -> Iterator[Mapping[str, np.ndarray]]:
        for part in parts:
            for start in range(0, len(part), BATCH):
                yield builder.values(part[start : start + BATCH])

    return measured(batches)
