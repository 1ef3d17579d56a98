"""Checks of a search tool: determinism, batch independence, budget.

It is tried on made-up networks (``judge.verdict.stand_ins``), whatever its parts are and wherever they come from.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xxhash

from quantrift.core.base.errors import QuantriftError, on_one_line
from quantrift.core.search.engine import Engine, Step
from quantrift.core.search.evaluator import Evaluator
from quantrift.core.search.library_engine import LibraryEngine
from quantrift.core.search.messages import Problem
from quantrift.core.search.tool import Tool, build, follows_gradients, looks_into_networks
from quantrift.judge.verdict.stand_ins import StandIns

SEARCHES = 3
EVALUATIONS = 60
"""Budget of a search; more where the first generation is larger."""
ENDLESS = 101
"""Times its budget that a search may generate, invalid candidates included, before it is taken for endless."""
FEW = 7
"""A second batch size, which divides no batch evenly."""


@dataclass(frozen=True)
class Check:
    """One property of a tool."""

    name: str
    holds: bool
    text: str
    """Line on what was checked, or on the fault."""


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
    if follows_gradients(settings):
        raise QuantriftError(f"{tool_id}: follows gradients, but the networks of this check have none")
    try:
        return _checks(tool_id, settings, StandIns.of(shape, SEARCHES))
    except QuantriftError:
        raise
    # A tool of somebody else may fail in any way.
    except Exception as error:
        reason = on_one_line(error, 200)
        raise QuantriftError(f"{tool_id}: fails ({type(error).__name__}: {reason}); fix it, or try --shape") from error


def _checks(tool_id: str, settings: Mapping[str, Any], networks: StandIns) -> list[Check]:
    trial = _Trial(tool_id, settings, networks)
    budget, together = EVALUATIONS, trial.run(EVALUATIONS)
    if (first := max(trace.first for trace in together)) > EVALUATIONS:
        # A population that is larger than the budget is evaluated once all the same.
        budget = 3 * first
        together = trial.run(budget)
    if trial.endless:
        return [_endless(budget)]
    # Where everything is valid, no candidate escapes the count.
    free = _Trial(tool_id, {**settings, "constraint": {"name": "none", "params": {}}}, networks)
    spent = max(trace.evaluated for trace in [*together, *free.run(budget)])
    if free.endless:
        return [_endless(budget)]
    return [
        Check("determinism", *_same(together, trial.run(budget), "run twice on the same seeds")),
        Check("batch independence", *_same(together, trial.alone(budget), "among others, and alone in small batches")),
        Check("budget", spent <= budget, f"{spent} evaluations in the longest search, {budget} allowed"),
    ]


def _endless(budget: int) -> Check:
    return Check("budget", False, f"a search does not end, {budget} evaluations allowed")


@dataclass(eq=False)
class _Trial:
    tool_id: str
    settings: Mapping[str, Any]
    networks: StandIns
    endless: bool = False

    def run(self, budget: int) -> list[Trace]:
        """All searches together, by a tool made anew."""
        tool = self._tool()
        return self._traces(tool, self.networks.problems(tool, budget), budget, rows=256)

    def alone(self, budget: int) -> list[Trace]:
        """Each search by itself, the last one first, in small batches."""
        tool = self._tool()
        problems = self.networks.problems(tool, budget)
        return [self._traces(tool, [problem], budget, rows=FEW)[0] for problem in reversed(problems)][::-1]

    def _tool(self) -> Tool:
        profile = self.networks.profile if looks_into_networks(self.settings) else None
        return build(self.tool_id, self.settings, self.networks.domain, profile)

    def _traces(self, tool: Tool, problems: Sequence[Problem], budget: int, rows: int) -> list[Trace]:
        evaluator = Evaluator(tool, self.networks, rows=rows)
        library = self.settings["engine"] == "library"
        engine: Engine | LibraryEngine = LibraryEngine(evaluator) if library else Engine(evaluator)
        traces = [Trace() for _ in problems]
        for event in engine.run(problems):
            if isinstance(event, Step):
                traces[event.number].add(event)
                most = ENDLESS * max(budget, traces[event.number].first)
                if traces[event.number].generated > most:
                    self.endless = True
                    break
        return traces


def _same(some: Sequence[Trace], others: Sequence[Trace], how: str) -> tuple[bool, str]:
    """Whether two runs of the same searches have the same candidates, and a line about it."""
    for number, (one, other) in enumerate(zip(some, others, strict=True)):
        pairs = zip(one.generations, other.generations, strict=False)
        differing = next((place for place, (a, b) in enumerate(pairs) if a != b), None)
        if differing is None and len(one.generations) != len(other.generations):
            differing = min(len(one.generations), len(other.generations))
        if differing is not None:
            return False, f"{how}: search {number} differs from generation {differing} on"
    total = sum(trace.generated for trace in some)
    return True, f"{how}: {len(some)} searches with the same {total} candidates"
