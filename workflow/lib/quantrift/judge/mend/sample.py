"""Natural inputs on which networks are compared while layers are chosen: the given ones, and changes of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import Paths
from quantrift.core.base.temporary_folders import temporary_folder
from quantrift.core.networks.beside_original import Comparison, Network
from quantrift.core.networks.evaluate import logits
from quantrift.core.statistics.clustered import clustered
from quantrift.judge.intake.given_networks import Ready
from quantrift.judge.verdict.assessment import Judgement, Limits
from quantrift.judge.verdict.bundle import draw, sampler
from quantrift.judge.verdict.candidate_searches import prepare_inputs
from quantrift.judge.verdict.clean_inputs import clean
from quantrift.judge.verdict.profiles import Settings as Assessed
from quantrift.judge.verdict.profiles import plan
from quantrift.judge.verdict.record_summary import rate
from quantrift.judge.verdict.tool_result import Rate
from quantrift.judge.verdict.verdict import OfTool, OnGiven, judged

ROWS = 256
"""Changes that are run at once."""
MOST = 2**28
"""Values of all changes together, at most: 1 GB."""


@dataclass(frozen=True, eq=False)
class Counted:
    """Disagreements of a network with the original on a sample."""

    events: int
    """Inputs, given and changed, with another label than the original's."""
    cases: int
    rate: Rate
    """Their share, with Korn and Graubard's interval over the given inputs, each with its changes."""
    accuracy: float | None
    """Share of the given inputs that the network gets right; ``None`` without true labels."""
    judgements: list[Judgement]
    """The limits, as an assessment holds them."""

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
        return self._counted(logits(network, self.inputs, self.inputs.test), labels_of(network, self.changed))

    def against(self, original: Network) -> "Sample":
        """The same inputs and changes, with another network for the original."""
        given = logits(original, self.inputs, self.inputs.test)
        return replace(self, of_given=given, of_changed=labels_of(original, self.changed))

    def _counted(self, given: np.ndarray, changed: np.ndarray) -> Counted:
        count = len(self.inputs)
        on_given = given.argmax(axis=1) != self.of_given.argmax(axis=1)
        on_changed = changed != self.of_changed
        of_seed = np.bincount(self.seed[on_changed], minlength=count)
        trials = np.bincount(self.seed, minlength=count)
        events = int(on_given.sum() + on_changed.sum())
        both = Comparison(self.inputs.labels, self.of_given, given)
        return Counted(
            events=events,
            cases=count + len(self.changed),
            rate=rate(*clustered(of_seed + on_given, trials + 1)),
            accuracy=both.after if self.labelled else None,
            judgements=self._judged(both, of_seed, trials),
        )

    def _judged(self, both: Comparison, events: np.ndarray, trials: np.ndarray) -> list[Judgement]:
        found = clean(both, self.inputs, self.labelled)
        on_given = OnGiven(found.disagreement, found.disagreeing, found.right_to_wrong, found.drop, found.classes)
        used = trials > 0
        tools: Sequence[OfTool] = ()
        if used.any():
            share = rate(*clustered(events[used], trials[used]))
            successes = int((events > 0).sum())
            tools = [OfTool(self.tool, True, int(used.sum()), successes, share, Rate(None, None, None))]
        return judged(on_given, tools, replace(self.limits, max_sr=None))


def drawn(original: Ready, inputs: Inputs, labelled: bool, limits: Limits, asked: Assessed, changes: int) -> Sample:
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
    whole = plan(asked, inputs)
    tool = replace(sampler(asked, inputs), seeds=len(inputs))
    number = max(1, min(changes, MOST // (len(inputs) * inputs.take([0]).size)))
    with temporary_folder() as folder:
        paths = Paths(Path(folder))
        if not prepare_inputs(paths, inputs, original, replace(whole, tools=[tool])):
            raise QuantriftError(
                f"{original.given}: is right on none of the {len(inputs)} inputs for the choice of layers; look at the "
                "labels, and at how inputs are scaled"
            )
        found = draw(tool, paths, inputs, number)
    seed = found.columns["seed"][found.columns["valid"]]
    return Sample(
        inputs=inputs,
        labelled=labelled,
        limits=limits,
        changed=found.inputs,
        seed=seed,
        tool=tool.title,
        of_given=logits(original.network, inputs, inputs.test),
        of_changed=labels_of(original.network, found.inputs),
    )


def labels_of(network: Network, x: np.ndarray) -> np.ndarray:
    """Labels, int64 (n,), of inputs, float32 (n, H, W, C)."""
    parts = [network(x[start : start + ROWS]).argmax(axis=1) for start in range(0, len(x), ROWS)]
    return np.concatenate(parts) if parts else np.empty(0, np.int64)
