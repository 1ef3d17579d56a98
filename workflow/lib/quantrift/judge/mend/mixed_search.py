"""Search for the network in mixed precision with the fewest units in float that keeps the limits.

Choices of calibration, which cost nothing, come first: methods for ranges, and inputs to measure them on. Where the
best keeps every limit, the search ends. Else units go back to float in an order: bisection, then elimination one by
one. Other orders are compared.
"""

from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from quantrift.core.base.progress_bar import bar
from quantrift.core.base.streams import stream
from quantrift.core.statistics.mended_networks import MENDED
from quantrift.judge.mend.builder import BATCH, Builder, Manner, builder
from quantrift.judge.mend.mending import Point, Sensitivity, State
from quantrift.judge.mend.ranges import METHODS, Measured, Method
from quantrift.judge.mend.sample import Counted, GivenPair, Sample
from quantrift.judge.mend.trials import Trials, sensitivities
from quantrift.judge.verdict.diagnoses import Diagnoses

GIVEN, CHANGED = "given", "given and changed"
OURS, SQNR, LAW = "disagreement", "SQNR", "margin law"
Passes = Callable[[Collection[str]], bool]
"""Whether the network with some units in float is accepted."""


@dataclass(frozen=True, eq=False)
class Tried:
    """A choice of calibration, and the network that it gives with everything in 8 bits."""

    method: Method
    inputs: str
    trials: Trials

    @property
    def counted(self) -> Counted:
        """Of the network with everything in 8 bits."""
        return self.trials(()).counted


@dataclass(frozen=True, eq=False)
class Search:
    """What the search for a network in mixed precision found."""

    state: State
    builder: Builder
    chosen: Tried
    choices: Sequence[Tried]
    found: Sequence[Sensitivity]
    by: Mapping[str, Sequence[str]]
    """Orders of units that are compared, ours among them."""
    kept: frozenset[str] | None
    """``None`` where nothing but the float network keeps the limits."""
    curve: Sequence[Point]

    def of_equal_size(self) -> dict[str, list[str]]:
        """Name of each other order -> its first units, as many as keep the weights no larger than the mended one's.

        In 16 bits, which leave weights of .tflite files as they are, as many as keep no less of the work in 8 bits.
        """

        def size(kept: Collection[str]) -> int:
            content = self.builder.build(kept, self.chosen.trials.ranges)
            if self.builder.manner.in_16_bits:
                in_8_bits, whole = self.builder.macs(content)
                return whole - in_8_bits
            return self.builder.weights(content)

        most = size(self.kept or ())
        return {name: of_equal_size(order, size, most) for name, order in self.by.items() if name != OURS}


def searched(
    pair: GivenPair, manner: Manner, selection: Sample, diagnoses: Diagnoses, announce: Callable[[str], None]
) -> Search:
    """Try every choice of calibration; if none is enough, measure each unit, and search from the one that costs most.

    What fails once a choice of calibration was found is noted, and the search goes on without it.

    Args:
        pair: networks and inputs.
        manner: how the compressed network is quantized.
        selection: inputs for the choice of layers.
        diagnoses: computes what the result can do without.
        announce: told what comes next.

    Raises:
        QuantriftError: the network cannot be quantized, or the package that does it is not installed.
    """
    settings, runtime = pair.settings, pair.compressed.runtime
    made = builder(pair.base, runtime, manner)
    units = len(made.units)
    with bar(desc="mend", unit=" networks") as progress:
        calibration = pair.sample("calibration", changes=4)
        choices, ranges = list[Tried](), dict[str, Measured]()
        # Ranges come from the inputs for calibration alone.
        for inputs, methods in ((GIVEN, METHODS[:-1]), (GIVEN, METHODS[-1:]), (CHANGED, METHODS)):
            if not any(one.counted.passes for one in choices):
                announce(
                    f"ranges of {units} units from {len(calibration.inputs)} inputs, {inputs}: {', '.join(methods)}"
                )
                ranges[inputs] = ranges.get(inputs) or _ranges_of(made, calibration, inputs)
                choices += [
                    Tried(method, inputs, Trials(made, ranges[inputs][method], selection, runtime, progress.update))
                    for method in methods
                ]
        # The one that keeps the limits with the fewest disagreements, or of all the one with the fewest.
        chosen = min(choices, key=lambda one: (not one.counted.passes, one.counted.events))
        trials, anew, names = chosen.trials, chosen.counted, [unit.name for unit in made.units]
        announced = f"quantized anew, {anew.events} of {anew.cases} selection inputs and changes disagree"
        if anew.passes:
            announce(f"{announced}: nothing has to be left in float")
            points = [Point(MENDED, *trials(()).told)]
            return Search("quantized anew", made, chosen, choices, [], {}, frozenset(), points)
        announce(f"{announced}, beyond the limits; {2 * units} networks for the disagreements that each unit costs")
        found = diagnoses("disagreements that each unit costs", [], sensitivities, trials, made.units, diagnoses)
        # In the order of computation where nothing tells another one.
        every = orders(found, settings.seed) if found else {OURS: names}
        by = every if settings.compare else {OURS: every[OURS]}
        announce("the fewest units that have to be left in float")

        def passes(some: Collection[str]) -> bool:
            return diagnoses(f"{len(some)} of {units} units in float", False, lambda: trials(some).counted.passes)

        kept, state = fewest(by[OURS], passes), cast("State", "mended")
        if kept is None or len(kept) == units:
            kept, state = None, "not mended"
        announce(f"networks with more and more units in float, by {', '.join(by)}")
        points = [
            one for name, order in by.items() for one in diagnoses(f"curve by {name}", [], curve, trials, name, order)
        ]
        if kept is not None:
            points.append(Point(MENDED, *trials(kept).told))
    return Search(state, made, chosen, choices, found, by, kept, points)


def _ranges_of(builder: Builder, calibration: Sample, inputs: str) -> Measured:
    """Ranges by each method, from the inputs for calibration: ``GIVEN``, or with their changes, ``CHANGED``."""
    given = calibration.inputs.take(calibration.inputs.test)
    parts = [given] if inputs == GIVEN else [given, calibration.changed]
    return Measured(
        lambda: (builder.values(part[start : start + BATCH]) for part in parts for start in range(0, len(part), BATCH))
    )


def orders(found: Sequence[Sensitivity], seed: int) -> dict[str, list[str]]:
    """Name of each order -> all units, those first that go back to float first; five orders are random.

    Ours begins with those that cost most: by both counts together, then by their own SQNR.
    """
    names = [one.unit for one in found]
    drawn = {
        f"random {number}": [names[place] for place in stream("mend", "order", seed, number).permutation(len(names))]
        for number in range(1, 6)
    }
    ours = sorted(found, key=lambda one: (-(one.alone + one.gain), _ratio(one.added_sqnr_db)))
    # Without any SQNR it orders nothing; units without one come last, as tools that compare layers list them.
    ranked = (
        {SQNR: sorted(found, key=lambda one: _ratio(one.sqnr_db))}
        if any(one.sqnr_db is not None for one in found)
        else {}
    )
    if any(one.foretold is not None for one in found):
        ranked[LAW] = sorted(found, key=lambda one: -1 if one.foretold is None else one.foretold, reverse=True)
    return {name: [one.unit for one in order] for name, order in {OURS: ours, **ranked}.items()} | drawn


def curve(trials: Trials, name: str, order: Sequence[str]) -> list[Point]:
    """Networks with more and more units of an order in float, from none to all; twelve at most."""
    return [
        Point(name, *trials(order[:length]).told)
        for length in np.unique(np.linspace(0, len(order), min(12, len(order) + 1)).round().astype(int)).tolist()
    ]


def _ratio(value: float | None) -> float:
    return np.inf if value is None else value


def shortest(order: Sequence[str], passes: Passes) -> int | None:
    """Length of a beginning of an order that is accepted while one shorter by one is not; ``None`` if all is not.

    It is the shortest of all if a longer beginning is never worse, which rounding errors that cancel may break.
    """
    if passes(()):
        return 0
    return None if not passes(order) else _bisected(len(order), lambda length: passes(order[:length]))


def _bisected(high: int, enough: Callable[[int], bool]) -> int:
    """The least number from 1 to ``high`` that is enough, where each larger one is, as ``high`` is taken to be."""
    return high + 1 - bisect_left(range(high), True, 1, key=lambda fewer: not enough(high - fewer))


def fewest(order: Sequence[str], passes: Passes) -> frozenset[str] | None:
    """Units to leave in float, none of which can be quantized without losing acceptance; ``None`` if nothing helps.

    Args:
        order: all units, those first that cost the most.
        passes: the rule; asked about log2(n) beginnings, then once for each unit that is left.
    """
    length = shortest(order, passes)
    if length is None:
        return None
    kept = list(order[:length])
    # The cheapest one first, as it is the most likely to go.
    for name in reversed(order[:length]):
        rest = [one for one in kept if one != name]
        if passes(rest):
            kept = rest
    return frozenset(kept)


def of_equal_size(order: Sequence[str], size: Callable[[Sequence[str]], int], most: int) -> list[str]:
    """The longest beginning of an order that takes no more than another network.

    Args:
        order: units.
        size: bits of the weights, or another cost, with some units kept from 8 bits; more units never take less.
        most: of that cost.
    """
    return list(order[: _bisected(len(order) + 1, lambda length: size(order[:length]) > most) - 1])
