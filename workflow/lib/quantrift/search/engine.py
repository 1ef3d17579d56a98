"""The lockstep engine: searches of many seed inputs advance side by side and share both models' batches.

A search's result depends on its own key and the models alone: decoding, constraint, models and objective treat each
row by itself, so it does not matter which rows stand beside it.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import xxhash

from quantrift.models.runtimes.protocol import Runtime
from quantrift.search.messages import Ask, Problem, Result, Search, Tell
from quantrift.search.space import Originals
from quantrift.search.tool import Tool

COPIES = 4
"""Arrays of the size of the decoded inputs that a step holds at once: originals, inputs, errors, valid rows."""


@dataclass(frozen=True, eq=False)
class Step:
    """One evaluated generation of one search."""

    number: int
    """Place of the problem in the list the engine was given."""
    generation: int
    """Counted from 0."""
    candidates: np.ndarray
    """float32 (n, *space.shape)."""
    tell: Tell
    psnr: np.ndarray
    """dB, float64 (n,)."""
    digests: np.ndarray
    """xxh3-64 of each decoded input's bytes, uint64 (n,)."""
    seconds: np.ndarray
    """Charged time of each candidate, float64 (n,): its share of the batch and of its search's own thinking."""


@dataclass(frozen=True, eq=False)
class Finished:
    """The end of one search."""

    number: int
    result: Result


@dataclass(frozen=True, eq=False)
class Seed:
    """Both models on a seed input itself, which is not counted as a candidate."""

    number: int
    label_original: int
    label_compressed: int
    digest: int


Event = Seed | Step | Finished


@dataclass(eq=False)
class _Running:
    number: int
    problem: Problem
    search: Search
    ask: Ask
    thinking: float
    generation: int = 0


@dataclass(eq=False)
class Engine:
    """Runs searches of one tool on one pair of models."""

    tool: Tool
    original: Runtime
    compressed: Runtime
    batch: int = 256
    """Candidates evaluated together. More would gain nothing and leave the processor's caches: at 3000 patches of
    25x25x15 a candidate costs three times as much beside the models as at 256."""
    memory_mb: float = 500
    """Room for the decoded inputs of a step, where ``batch`` of them would take more; the other searches wait."""

    def run(self, problems: Sequence[Problem]) -> Iterator[Event]:
        """Run a search for each problem.

        Yields:
            For each problem one ``Seed``, a ``Step`` a generation, and one ``Finished``, in this order; events of
            different problems mix, in an order that does not matter to any of them.
        """
        waiting = deque(enumerate(problems))
        running: list[_Running] = []
        while waiting or running:
            room = self._rows(problems[0]) - sum(len(one.ask.candidates) for one in running)
            admitted: list[tuple[int, Problem]] = []
            while waiting and (room > 0 or not (running or admitted)):
                number, problem = waiting.popleft()
                admitted.append((number, problem))
                started = self._advance(number, problem, self.tool.start(problem), None, 0)
                if isinstance(started, Finished):
                    raise ValueError(f"{self.tool.id}: the searcher ended without asking for a single candidate")
                running.append(started)
                room -= len(started.ask.candidates)
            yield from self._seeds(admitted)
            now = self._fitting(running)
            still = running[len(now) :]
            survivors: list[_Running] = []
            for one, step in zip(now, self._evaluate(now), strict=True):
                yield step
                following = self._advance(one.number, one.problem, one.search, step.tell, one.generation + 1)
                if isinstance(following, Finished):
                    yield following
                else:
                    survivors.append(following)
            running = survivors + still

    def _rows(self, problem: Problem) -> int:
        """How many candidates are evaluated together."""
        return max(1, min(self.batch, int(self.memory_mb * 1e6 / (COPIES * problem.input.nbytes))))

    def _fitting(self, running: list[_Running]) -> list[_Running]:
        """The first searches whose asks fit together; at least one."""
        if not running:
            return []
        ends = np.cumsum([len(one.ask.candidates) for one in running])
        return running[: max(1, int(np.searchsorted(ends, self._rows(running[0].problem), side="right")))]

    @staticmethod
    def _advance(
        number: int, problem: Problem, search: Search, tell: Tell | None, generation: int
    ) -> _Running | Finished:
        """Let a search think: its next ask, or its end."""
        begin = perf_counter()
        try:
            ask = next(search) if tell is None else search.send(tell)
        except StopIteration as stop:
            return Finished(number, stop.value)
        return _Running(number, problem, search, ask, perf_counter() - begin, generation)

    def _outputs(self, inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.original(inputs), self.compressed(inputs)

    def _seeds(self, admitted: list[tuple[int, Problem]]) -> Iterator[Seed]:
        if not admitted:
            return
        inputs = np.stack([problem.input for _, problem in admitted])
        first, second = (logits.argmax(axis=1) for logits in self._outputs(inputs))
        for (number, problem), one, other in zip(admitted, first.tolist(), second.tolist(), strict=True):
            yield Seed(number, one, other, digest(problem.input))

    def _evaluate(self, now: list[_Running]) -> Iterator[Step]:
        """Decode, check, run and score the asks of some searches as one batch."""
        if not now:
            return
        begin = perf_counter()
        asked = [np.ascontiguousarray(one.ask.candidates, dtype=np.float32) for one in now]
        counts = [len(candidates) for candidates in asked]
        candidates = np.concatenate(asked)
        rows = np.repeat(np.arange(len(now)), counts)
        originals = Originals(np.stack([one.problem.input for one in now]))
        inputs = self.tool.space.decode(candidates, originals, rows)
        check = self.tool.constraint.check(inputs, originals, rows)
        digests = np.array([digest(row) for row in inputs], np.uint64)

        n, valid = len(inputs), check.valid
        ready = perf_counter()
        outputs = [_spread(logits, valid) for logits in self._outputs(inputs if valid.all() else inputs[valid])]
        # argmax takes the lowest of equally probable classes.
        labels = [np.where(valid, logits.argmax(axis=1), -1) for logits in outputs]
        score = self.tool.objective.score(*(logits[valid] for logits in outputs))
        # Everybody pays for decoding and checking; only valid candidates for the models and their score.
        decoding, inference = ready - begin, perf_counter() - ready
        seconds = np.full(n, decoding / n) + valid * (inference / max(1, int(valid.sum())))

        tell = Tell(
            inputs=inputs,
            valid=valid,
            violation=check.violation,
            out_original=outputs[0],
            out_compressed=outputs[1],
            labels_original=labels[0],
            labels_compressed=labels[1],
            disagree=valid & (labels[0] != labels[1]),
            fitness=_spread(score, valid),
        )
        ends = np.cumsum(counts)
        for one, candidates, start, end in zip(now, asked, ends - counts, ends, strict=True):
            part = slice(int(start), int(end))
            yield Step(
                number=one.number,
                generation=one.generation,
                candidates=candidates,
                tell=Tell(**{name: value[part] for name, value in vars(tell).items()}),
                psnr=check.psnr[part],
                digests=digests[part],
                seconds=seconds[part] + one.thinking / max(1, len(candidates)),
            )


def digest(inputs: np.ndarray) -> int:
    """xxh3-64 of an input's bytes; equal digests are taken for equal inputs."""
    return xxhash.xxh3_64_intdigest(np.ascontiguousarray(inputs).data)


def _spread(values: np.ndarray, valid: np.ndarray) -> np.ndarray:
    """Rows of valid candidates put in their places among all, NaN elsewhere."""
    if len(values) == len(valid):
        return values
    full = np.full((len(valid), values.shape[1]), np.nan, values.dtype)
    full[valid] = values
    return full
