"""Samples on which networks are compared while layers are chosen: parts of the given inputs, and natural changes."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from quantrift.core.base.errors import refuse
from quantrift.core.base.inputs import ImageStack, Inputs
from quantrift.core.base.paths import Paths
from quantrift.core.base.streams import stream
from quantrift.core.base.temporary_folders import temporary_folder
from quantrift.core.networks.beside_original import Comparison, Network
from quantrift.core.networks.evaluate import logits
from quantrift.core.networks.runtime import load_runtime, load_values
from quantrift.core.pairs.task_pair import ComparedNetwork
from quantrift.core.statistics.clustered import clustered
from quantrift.core.statistics.margin_files import Margins, margins
from quantrift.judge.intake.given_inputs import Arrays
from quantrift.judge.intake.given_networks import Ready
from quantrift.judge.mend.settings import Settings
from quantrift.judge.verdict.assessment import Judgement, Limits
from quantrift.judge.verdict.bundle import draw, sampler
from quantrift.judge.verdict.candidate_searches import prepare_inputs
from quantrift.judge.verdict.clean_inputs import compared
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
Part = Literal["calibration", "selection", "fresh"]
"""A part of the inputs; no calibration and no layer is chosen by the fresh ones."""
PARTS: tuple[Part, ...] = ("calibration", "selection", "fresh")


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
    margins: Margins
    """Of the given inputs."""

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
    """Logits of the original, float32 (n, K), or what stands for them under a task."""
    of_changed: np.ndarray
    """Its labels of the changes, int64 (k,)."""
    under_task: ComparedNetwork | None = None
    """The compressed network beside the original, where agreement is no label."""

    def loaded(self, runtime: str, path: Path) -> Network:
        """A network in a file, to be counted."""
        if (like := self.under_task) is None:
            return load_runtime(runtime, path)
        return ComparedNetwork(like.original, load_values(runtime, path), like.agreement)

    def count(self, network: Network) -> Counted:
        """Run a network and count where it gives another label than the original."""
        return self.counted(logits(network, self.inputs, self.inputs.test), _labels_of(network, self.changed))

    def counted(self, given: np.ndarray, changed: np.ndarray) -> Counted:
        """The same of a network's logits of the given inputs, (n, K), and its labels of the changes, (k,)."""
        count = len(self.inputs)
        on_given = given.argmax(axis=1) != self.of_given.argmax(axis=1)
        of_seed = np.bincount(self.seed[changed != self.of_changed], minlength=count)
        trials = np.bincount(self.seed, minlength=count)
        used, both = trials > 0, Comparison(self.inputs.labels, self.of_given, given)
        return Counted(
            margins=margins(self.of_given, given),
            events=int(on_given.sum() + of_seed.sum()),
            cases=count + len(self.changed),
            rate=rate(*clustered(of_seed + on_given, trials + 1)),
            judgements=judged(
                compared(both, on_labels(both, self.labelled), self.inputs.class_names),
                count,
                [self._of_tool(of_seed[used], trials[used])] if used.any() else [],
                replace(self.limits, max_sr=None),
            ),
        )

    def _of_tool(self, events: np.ndarray, trials: np.ndarray) -> OfTool:
        """Rates on the changes, from the disagreements and changes of each given input that has any, int64 (m,)."""
        of_changes = rate(*clustered(events, trials))
        return OfTool(self.tool, True, len(trials), int((events > 0).sum()), of_changes, Rate(None, None, None))


def _labels_of(network: Network, x: np.ndarray) -> np.ndarray:
    """Labels, int64 (n,), of inputs, float32 (n, H, W, C)."""
    parts = (network(x[start : start + ROWS]).argmax(axis=1) for start in range(0, len(x), ROWS))
    return np.concatenate([np.empty(0, np.int64), *parts])


def split(count: int, seed: int) -> dict[Part, np.ndarray]:
    """A fifth of ``count`` inputs for calibration, 200 at most, and the rest in halves; the same for the same seed.

    Returns:
        Numbers of the inputs of each part, int64 and sorted.

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
    return dict(zip(PARTS, map(np.sort, np.split(order, [first, half])), strict=True))


def _part_of(inputs: Inputs, numbers: np.ndarray) -> Inputs:
    """Some inputs as a dataset of their own, all of them training and test inputs; ``numbers`` is int64 (n,)."""
    every = np.arange(len(numbers), dtype=np.int64)
    held = "images" if isinstance(inputs, ImageStack) else "values"
    of_each: dict[str, Any] = {name: getattr(inputs, name)[numbers] for name in (held, "labels")}
    # Strengths of natural changes are found on training inputs.
    return replace(inputs, train=every, validation=every[:0], test=every, **of_each)


@dataclass(frozen=True, eq=False)
class GivenPair:
    """Networks and inputs of a mending, loaded and checked."""

    original: Ready
    compressed: Ready
    base: Path
    """The original in float, as it is quantized."""
    arrays: Arrays
    inputs: Inputs
    parts: Mapping[Part, np.ndarray]
    settings: Settings

    def sample(self, part: Part, changes: int) -> Sample:
        """One part of the inputs, with the first changes that random sampling of ``quantrift assess`` draws.

        Args:
            part: of the inputs.
            changes: drawn of each input that the original gets right; fewer where all would take more than 1 GB.

        Raises:
            QuantriftError: the original is right on none of the inputs.
        """
        original, inputs = self.original, _part_of(self.inputs, self.parts[part])
        asked = replace(self.settings, seeds=None, generations=None)
        tool = replace(sampler(asked, inputs), seeds=len(inputs))
        with temporary_folder() as folder:
            paths = Paths(Path(folder))
            refuse(
                (
                    not prepare_inputs(paths, inputs, original, replace(plan(asked, inputs), tools=[tool])),
                    f"{original.given}: is right on none of the {len(inputs)} inputs for the choice of layers; look at "
                    "the labels, and at how inputs are scaled",
                )
            )
            number = max(1, min(changes, MOST // (len(inputs) * inputs.take([0]).size)))
            columns, changed = draw(tool, paths, inputs, number)
        return Sample(
            inputs=inputs,
            labelled=self.arrays.labels is not None,
            limits=self.settings.tightened if part == "selection" else self.settings.limits,
            changed=changed,
            seed=columns["seed"][columns["valid"]],
            tool=tool.title,
            of_given=logits(original.network, inputs, inputs.test),
            of_changed=_labels_of(original.network, changed),
            under_task=compressed if isinstance(compressed := self.compressed.network, ComparedNetwork) else None,
        )
