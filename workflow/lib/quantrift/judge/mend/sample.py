"""Samples on which networks are compared while layers are chosen: parts of the given inputs, and natural changes."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from quantrift.core.base.errors import refuse
from quantrift.core.base.inputs import ImageStack, Inputs, Stack
from quantrift.core.base.paths import Paths
from quantrift.core.base.streams import stream
from quantrift.core.base.temporary_folders import temporary_folder
from quantrift.core.networks.beside_original import Comparison, Network
from quantrift.core.networks.evaluate import logits
from quantrift.core.statistics.clustered import clustered
from quantrift.judge.intake.given_inputs import Arrays
from quantrift.judge.intake.given_networks import Ready
from quantrift.judge.mend.settings import Settings
from quantrift.judge.verdict.assessment import Judgement, Limits
from quantrift.judge.verdict.bundle import draw, sampler
from quantrift.judge.verdict.candidate_searches import prepare_inputs
from quantrift.judge.verdict.clean_inputs import compared
from quantrift.judge.verdict.profiles import Settings as Assessed
from quantrift.judge.verdict.profiles import plan
from quantrift.judge.verdict.record_summary import rate
from quantrift.judge.verdict.tool_result import Rate
from quantrift.judge.verdict.under_task import on_labels
from quantrift.judge.verdict.verdict import OfTool, judged

CALIBRATION = 0.2
"""Share of the inputs on which ranges of activations are measured."""
CALIBRATED = 200
"""Inputs for calibration at most; more hardly move a range, and are missed by the verdict."""
FEWEST = 10
"""Inputs that can be split at all."""
ROWS = 256
"""Changes that are run at once."""
MOST = 2**28
"""Values of all changes together, at most: 1 GB."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Numbers of inputs, int64 and sorted; none stands in two parts."""

    calibration: np.ndarray
    selection: np.ndarray
    fresh: np.ndarray
    """No calibration and no layer is chosen by them."""


@dataclass(frozen=True, eq=False)
class Counted:
    """Disagreements of a network with the original on a sample."""

    events: int
    """Inputs, given and changed, with another label than the original's."""
    cases: int
    rate: Rate
    """Their share, with Korn and Graubard's interval over the given inputs, each with its changes."""
    judgements: list[Judgement]
    """The limits, as an assessment holds them."""

    @property
    def told(self) -> tuple[int, int, Rate]:
        """As results have it."""
        return self.events, self.cases, self.rate

    @property
    def passes(self) -> bool:
        """Whether every limit is shown to be kept."""
        return all(one.verdict == "pass" for one in self.judgements)


@dataclass(frozen=True, eq=False)
class Sample:
    """Given inputs, natural changes of them, and what the original says of both."""

    inputs: Inputs
    labelled: bool
    """Whether true labels were given."""
    limits: Limits
    changed: np.ndarray
    """Valid changes, float32 (k, H, W, C)."""
    seed: np.ndarray
    """Number of the given input that each was made of, int64 (k,)."""
    tool: str
    """Title of the tool that draws such changes."""
    of_given: np.ndarray
    """Logits of the original, float32 (n, K)."""
    of_changed: np.ndarray
    """Its labels of the changes, int64 (k,)."""

    @property
    def without_disagreement(self) -> Counted:
        """Of a network that agrees with the original on everything: whether so many inputs can decide."""
        return self._counted(self.of_given, self.of_changed)

    def count(self, network: Network) -> Counted:
        """Run a network and count where it gives another label than the original."""
        return self._counted(logits(network, self.inputs, self.inputs.test), _labels_of(network, self.changed))

    def _counted(self, given: np.ndarray, changed: np.ndarray) -> Counted:
        count = len(self.inputs)
        on_given = given.argmax(axis=1) != self.of_given.argmax(axis=1)
        of_seed = np.bincount(self.seed[changed != self.of_changed], minlength=count)
        trials = np.bincount(self.seed, minlength=count)
        return Counted(
            events=int(on_given.sum() + of_seed.sum()),
            cases=count + len(self.changed),
            rate=rate(*clustered(of_seed + on_given, trials + 1)),
            judgements=self._judged(Comparison(self.inputs.labels, self.of_given, given), of_seed, trials),
        )

    def _judged(self, both: Comparison, events: np.ndarray, trials: np.ndarray) -> list[Judgement]:
        used = trials > 0
        tools = []
        if used.any():
            counts = int(used.sum()), int((events > 0).sum())
            tools = [
                OfTool(self.tool, True, *counts, rate(*clustered(events[used], trials[used])), Rate(None, None, None))
            ]
        return judged(
            compared(both, on_labels(both, self.labelled), self.inputs.class_names),
            len(self.inputs),
            tools,
            replace(self.limits, max_sr=None),
        )


def _drawn(original: Ready, inputs: Inputs, labelled: bool, limits: Limits, asked: Assessed, changes: int) -> Sample:
    """A sample of all of some inputs, with the first changes that random sampling of ``quantrift assess`` draws.

    Args:
        original: the network.
        inputs: all of them test inputs.
        labelled: whether their labels were given.
        limits: to be held.
        asked: space and profile of the changes.
        changes: drawn of each input that the original gets right; fewer where all would take more than 1 GB.

    Raises:
        QuantriftError: the original is right on none of the inputs.
    """
    tool = replace(sampler(asked, inputs), seeds=len(inputs))
    with temporary_folder() as folder:
        paths = Paths(Path(folder))
        refuse(
            (
                not prepare_inputs(paths, inputs, original, replace(plan(asked, inputs), tools=[tool])),
                f"{original.given}: is right on none of the {len(inputs)} inputs for the choice of layers; look at the "
                "labels, and at how inputs are scaled",
            )
        )
        number = max(1, min(changes, MOST // (len(inputs) * inputs.take([0]).size)))
        columns, changed = draw(tool, paths, inputs, number)
    return Sample(
        inputs=inputs,
        labelled=labelled,
        limits=limits,
        changed=changed,
        seed=columns["seed"][columns["valid"]],
        tool=tool.title,
        of_given=logits(original.network, inputs, inputs.test),
        of_changed=_labels_of(original.network, changed),
    )


def _labels_of(network: Network, x: np.ndarray) -> np.ndarray:
    """Labels, int64 (n,), of inputs, float32 (n, H, W, C)."""
    parts = (network(x[start : start + ROWS]).argmax(axis=1) for start in range(0, len(x), ROWS))
    return np.concatenate([np.empty(0, np.int64), *parts])


def split(count: int, seed: int) -> Parts:
    """A fifth of ``count`` inputs for calibration, 200 at most, and the rest in halves; the same for the same seed.

    Raises:
        QuantriftError: there are too few.
    """
    refuse(
        (
            count < FEWEST,
            f"{count} inputs are too few to mend on one part and to judge on another; give at least {FEWEST}, better "
            "some hundred",
        )
    )
    order = stream("mend", "parts", seed).permutation(count)
    first = min(CALIBRATED, round(CALIBRATION * count))
    half = first + (count - first) // 2
    return Parts(*(np.sort(part) for part in (order[:first], order[first:half], order[half:])))


def _part_of(inputs: Inputs, numbers: np.ndarray) -> Inputs:
    """Some inputs as a dataset of their own, all of them training and test inputs; ``numbers`` is int64 (n,).

    Raises:
        TypeError: the inputs are not kept one by one.
    """
    every = np.arange(len(numbers), dtype=np.int64)
    # Strengths of natural changes are found on training inputs.
    of_all = {"labels": inputs.labels[numbers], "train": every, "validation": every[:0], "test": every}
    if isinstance(inputs, ImageStack):
        return replace(inputs, images=inputs.images[numbers], **of_all)
    if isinstance(inputs, Stack):
        return replace(inputs, values=inputs.values[numbers], **of_all)
    raise TypeError(f"{type(inputs).__name__} has no parts")


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
    settings: Settings

    def sample(self, part: Literal["calibration", "selection", "fresh"], changes: int) -> Sample:
        """One part of the inputs with natural changes."""
        return _drawn(
            self.original,
            _part_of(self.inputs, getattr(self.parts, part)),
            self.arrays.labels is not None,
            self.settings.tightened if part == "selection" else self.settings.limits,
            replace(self.settings, seeds=None, generations=None),
            changes,
        )
