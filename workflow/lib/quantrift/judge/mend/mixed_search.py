"""Search for the network in mixed precision with the fewest units in float that keeps the limits."""

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from tqdm import tqdm

from quantrift.judge.mend.builder import Builder, Manner, builder
from quantrift.judge.mend.calibrations import Tried, best
from quantrift.judge.mend.calibrations import tried as calibrations
from quantrift.judge.mend.fewest import fewest
from quantrift.judge.mend.given_pair import GivenPair
from quantrift.judge.mend.mending import Point, State
from quantrift.judge.mend.orders import OURS, curve, of_equal_size, orders, point, rivals
from quantrift.judge.mend.ranges import METHODS
from quantrift.judge.mend.sample import Sample
from quantrift.judge.mend.sensitivity import Sensitivity, measured
from quantrift.judge.verdict.diagnoses import Diagnoses

CHANGES = 4
"""Natural changes drawn of each input for calibration."""


@dataclass(frozen=True, eq=False)
class Search:
    """What the search for a network in mixed precision found."""

    state: State
    builder: Builder
    chosen: Tried
    choices: Sequence[Tried]
    calibration: Sample
    """Inputs that ranges were measured on."""
    found: Sequence[Sensitivity]
    by: Mapping[str, Sequence[str]]
    """Orders of units that are compared, ours among them."""
    kept: frozenset[str] | None
    """``None`` where nothing but the float network keeps the limits."""
    curve: Sequence[Point]

    @property
    def content(self) -> bytes | None:
        """The network that was found, as the content of a file."""
        return None if self.kept is None else self.built(self.kept)

    @property
    def names(self) -> list[str]:
        """All units that can be in 8 bits."""
        return [unit.name for unit in self.builder.units]

    def built(self, kept: Collection[str]) -> bytes:
        """Content of the file with some units in float."""
        return self.builder.build(kept, self.chosen.trials.ranges)

    def of_equal_size(self) -> dict[str, list[str]]:
        """Name of each other order -> its first units, as many as keep the weights no larger than the mended one's.

        In 16 bits, which leave weights of .tflite files as they are, as many as keep no less of the work in 8 bits.
        """

        def size(kept: Collection[str]) -> int:
            content = self.built(kept)
            if self.builder.manner.in_16_bits:
                in_8_bits, whole = self.builder.macs(content)
                return whole - in_8_bits
            return self.builder.weights(content)

        most = size(self.kept or ())
        return {name: of_equal_size(order, size, most) for name, order in rivals(self.by).items()}


def searched(
    pair: GivenPair, manner: Manner, selection: Sample, diagnoses: Diagnoses, announce: Callable[[str], None]
) -> Search:
    """Try every choice of calibration, measure each unit, and search from the one that costs most.

    Args:
        pair: networks and inputs.
        manner: how the compressed network is quantized.
        selection: inputs for the choice of layers.
        diagnoses: computes what decides nothing.
        announce: told what comes next.

    Raises:
        QuantriftError: the network cannot be quantized, or the package that does it is not installed.
    """
    settings, runtime = pair.settings, pair.compressed.runtime
    made = builder(pair.base, runtime, manner)
    pause = 0.5 if sys.stderr.isatty() else 15
    with tqdm(desc="mend", unit=" networks", mininterval=pause) as bar:

        def told() -> None:
            bar.update()

        calibration = pair.sample("calibration", CHANGES)
        units = len(made.units)
        announce(f"ranges of {units} units from {len(calibration.inputs)} inputs, and {len(METHODS)} ways to set them")
        choices = calibrations(made, calibration, selection, runtime, told)
        chosen = best(choices)
        trials = chosen.trials
        names = [unit.name for unit in made.units]
        announce(f"{2 * units} networks for the disagreements that each unit costs")
        found = measured(trials, made.units, diagnoses)
        by = orders(found, settings.seed)
        by = by if settings.compare else {OURS: by[OURS]}
        announce("the fewest units that have to be left in float")
        kept = fewest(by[OURS], lambda some: trials(some).counted.passes)
        state: State = "mended" if kept else "quantized anew"
        if kept is None or len(kept) == len(names):
            kept, state = None, "not mended"
        announce(f"networks with more and more units in float, by {', '.join(by)}")
        points = [
            one for name, order in by.items() for one in diagnoses(f"curve by {name}", [], curve, trials, name, order)
        ]
        if kept is not None:
            points.append(point("mended", trials(kept)))
    return Search(state, made, chosen, choices, calibration, found, by, kept, points)
