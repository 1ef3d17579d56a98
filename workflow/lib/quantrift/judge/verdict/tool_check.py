"""Checks of a search tool: determinism, batch independence, budget.

It is tried without any file on two small made-up networks, whatever its parts are and wherever they come from. The
compressed one has the weights of the original on a coarse grid. Every row is computed by itself, as in real ones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

import numpy as np
import xxhash

from quantrift.core.base.errors import QuantriftError, on_one_line, refuse
from quantrift.core.networks.neuron_profile import Profile
from quantrift.core.pairs.pair import Outputs
from quantrift.core.search.engine import Engine, Step
from quantrift.core.search.evaluator import Evaluator
from quantrift.core.search.library_engine import LibraryEngine
from quantrift.core.search.messages import Problem
from quantrift.core.search.space import Domain
from quantrift.core.search.tool import Tool, build, follows_gradients, looks_into_networks

SEARCHES = 3
EVALUATIONS = 60
"""Budget of a search; more where the first generation is larger."""
ENDLESS = 101
"""Times its budget that a search may generate, invalid candidates included, before it is taken for endless."""
FEW = 7
"""A second batch size, which divides no batch evenly."""
CLASSES = 5
NEURONS = 16
STEP = 0.02
"""Distance of the compressed network's weights."""


@dataclass(frozen=True)
class Check:
    """One property of a tool."""

    name: str
    holds: bool
    text: str
    """Line on what was checked, or on the fault."""


Network = Sequence[np.ndarray]
"""Weights of one hidden layer, float32 (NEURONS, values of an input), and of logits, float32 (CLASSES, NEURONS)."""


def _run(network: Network, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Logits and neurons of inputs, float32 (n, CLASSES) and (n, NEURONS)."""
    hidden, last = network
    flat = x.reshape(len(x), hidden.shape[1])
    neurons = np.stack([np.maximum((flat * weights).sum(axis=1), 0) for weights in hidden], axis=1)
    return np.stack([(neurons * weights).sum(axis=1) for weights in last], axis=1), neurons


@dataclass(frozen=True, eq=False)
class StandIns:
    """Both networks, in the form of an evaluator, and suitable inputs."""

    original: Network
    compressed: Network
    inputs: np.ndarray
    """float32 (n, H, W, C) on the grid of 8-bit images, 0 to 1."""

    @staticmethod
    def of(shape: tuple[int, int, int], inputs: int) -> "StandIns":
        """Networks and inputs of ``shape``, the same in every call."""
        rng = np.random.default_rng(0)
        values = int(np.prod(shape))
        original = (
            rng.normal(0, 1 / np.sqrt(values), (NEURONS, values)).astype(np.float32),
            rng.normal(0, 1 / np.sqrt(NEURONS), (CLASSES, NEURONS)).astype(np.float32),
        )
        images = rng.integers(0, 256, (inputs, *shape)).astype(np.float32) / np.float32(255)
        return StandIns(
            original, [np.rint(part / STEP).astype(np.float32) * np.float32(STEP) for part in original], images
        )

    @property
    def domain(self) -> Domain:
        """Common properties of the inputs."""
        _, rows, columns, channels = self.inputs.shape
        return Domain((rows, columns, channels), 0.0, 1.0)

    def __call__(self, x: np.ndarray) -> Outputs:
        """See ``quantrift.core.pairs.pair.Networks``."""
        (first, of_first), (second, of_second) = _run(self.original, x), _run(self.compressed, x)
        return Outputs(first, second, of_first, of_second)

    def problems(self, tool: Tool, evaluations: int) -> list[Problem]:
        """A search from each input, after the class that follows its own where the tool wants one."""
        return [
            Problem(
                dataset="stand_in",
                run_seed=0,
                indices=(number,),
                inputs=self.inputs[number : number + 1],
                true_labels=(label,),
                space=tool.space,
                # The evaluations bound a search; one that looks at generations alone asks for more of them.
                generations=evaluations,
                evaluations=evaluations,
                target=(label + 1) % CLASSES,
            )
            for number, label in enumerate(self(self.inputs).original.argmax(axis=1).tolist())
        ]


@dataclass(eq=False)
class Trace:
    """Trace of one search."""

    generations: list[int] = field(default_factory=list)
    """Digest of the candidates of each generation, and of what they decode to and score."""
    generated: int = 0
    evaluated: int = 0
    """Candidates that went through both networks, as the constraint holds."""
    first: int = 0
    """Candidates of the first generation."""

    def add(self, step: Step) -> None:
        """Take in a generation."""
        tell = step.evaluated.tell
        seen = xxhash.xxh3_64()
        for part in (step.candidates, step.evaluated.digests, tell.valid, tell.labels_compressed, tell.fitness):
            seen.update(np.ascontiguousarray(part).data)
        self.generations.append(seen.intdigest())
        self.first = self.first or len(step.candidates)
        self.generated += len(step.candidates)
        self.evaluated += int(tell.valid.sum())


def check(tool_id: str, settings: Mapping[str, Any], shape: tuple[int, int, int]) -> list[Check]:
    """Try the tool of resolved ``settings`` on inputs of ``shape``: determinism, batch independence, budget.

    For a tool whose searches do not end, only the budget is checked.

    Raises:
        QuantriftError: if it follows gradients, which made-up networks have none of, or fails.
    """
    refuse((follows_gradients(settings), f"{tool_id}: follows gradients, but the networks of this check have none"))
    try:
        return _checks(tool_id, settings, StandIns.of(shape, SEARCHES))
    except QuantriftError:
        raise
    # A tool of somebody else may fail in any way.
    except Exception as error:
        reason = f"{type(error).__name__}: {on_one_line(error, 200)}"
        raise QuantriftError(f"{tool_id}: fails ({reason}); fix it, or try --shape") from error


def _checks(tool_id: str, settings: Mapping[str, Any], networks: StandIns) -> list[Check]:
    trial = _Trial(tool_id, settings, networks)
    budget, together = EVALUATIONS, trial.run(EVALUATIONS)
    if (first := max(trace.first for trace in together)) > EVALUATIONS:
        # A population that is larger than the budget is evaluated once all the same.
        budget = 3 * first
        together = trial.run(budget)
    # Where everything is valid, no candidate escapes the count.
    free = _Trial(tool_id, {**settings, "constraint": {"name": "none", "params": {}}}, networks)
    spent = max(trace.evaluated for trace in [*together, *free.run(budget)])
    if trial.endless or free.endless:
        return [Check("budget", False, f"a search does not end, {budget} evaluations allowed")]
    return [
        Check("determinism", *_same(together, trial.run(budget), "run twice on the same seeds")),
        Check(
            "batch independence",
            *_same(together, trial.run(budget, alone=True), "among others, and alone in small batches"),
        ),
        Check("budget", spent <= budget, f"{spent} evaluations in the longest search, {budget} allowed"),
    ]


@dataclass(eq=False)
class _Trial:
    tool_id: str
    settings: Mapping[str, Any]
    networks: StandIns
    endless: bool = False

    def run(self, budget: int, *, alone: bool = False) -> list[Trace]:
        """All searches together, or each by itself, the last one first, in small batches; by a tool made anew."""
        ranges = np.zeros(NEURONS, np.float32), np.ones(NEURONS, np.float32)
        tool = build(
            self.tool_id,
            self.settings,
            self.networks.domain,
            Profile(np.full(NEURONS, "hidden"), *ranges) if looks_into_networks(self.settings) else None,
        )
        problems = self.networks.problems(tool, budget)
        if not alone:
            return self._traces(tool, problems, budget, rows=256)
        return [self._traces(tool, [problem], budget, rows=FEW)[0] for problem in reversed(problems)][::-1]

    def _traces(self, tool: Tool, problems: Sequence[Problem], budget: int, rows: int) -> list[Trace]:
        engine = LibraryEngine if self.settings["engine"] == "library" else Engine
        traces = [Trace() for _ in problems]
        for event in engine(Evaluator(tool, self.networks, rows=rows)).run(problems):
            if isinstance(event, Step):
                trace = traces[event.number]
                trace.add(event)
                if trace.generated > ENDLESS * max(budget, trace.first):
                    self.endless = True
                    break
        return traces


def _same(some: Sequence[Trace], others: Sequence[Trace], how: str) -> tuple[bool, str]:
    """Whether two runs of the same searches have the same candidates, and a line about it."""
    for number, (one, other) in enumerate(zip(some, others, strict=True)):
        pairs = zip_longest(one.generations, other.generations)
        differing = next((place for place, (first, second) in enumerate(pairs) if first != second), None)
        if differing is not None:
            return False, f"{how}: search {number} differs from generation {differing} on"
    return True, f"{how}: {len(some)} searches with the same {sum(trace.generated for trace in some)} candidates"
