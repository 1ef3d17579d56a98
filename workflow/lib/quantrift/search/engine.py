"""The lockstep engine: searches of many seed inputs advance side by side and share both networks' batches.

A search's result depends on its own key and the networks alone; it does not matter which others run beside it.
"""

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from time import process_time

import numpy as np

from quantrift.search.evaluator import Evaluator, digest
from quantrift.search.events import Event, Finished, Seed, Step
from quantrift.search.goal import kept_labels, reached
from quantrift.search.gradients import with_gradients
from quantrift.search.messages import Ask, Problem, Search, Tell
from quantrift.search.stopping import Stop, Watch

COPIES = 4
"""Arrays of the size of the decoded inputs that a step holds at once: originals, inputs, errors, valid rows."""


@dataclass(eq=False)
class _Running:
    number: int
    problem: Problem
    search: Search
    watch: Watch
    ask: Ask
    thinking: float
    generation: int = 0
    kept: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    """Label that both models give each seed input, -1 where they disagree; known before the first step."""

    @property
    def rows(self) -> int:
        """Inputs that the ask decodes to."""
        return len(self.ask.candidates) * len(self.problem.inputs)


@dataclass(eq=False)
class Engine:
    """Runs searches of one tool on one pair of networks."""

    evaluator: Evaluator
    stop: Stop = field(default_factory=Stop)
    memory_mb: float = 500
    """Room for the decoded inputs of a step, where a batch of them would take more; the other searches wait."""

    def run(self, problems: Sequence[Problem]) -> Iterator[Event]:
        """Run a search for each problem.

        Yields:
            For each problem one ``Seed``, a ``Step`` a generation, and one ``Finished``, in this order; events of
            different problems mix, in an order that does not matter to any of them.
        """
        waiting = deque(enumerate(problems))
        running: list[_Running] = []
        while waiting or running:
            room = self._rows(problems[0]) - sum(one.rows for one in running)
            admitted: list[_Running] = []
            while waiting and (room > 0 or not (running or admitted)):
                started = self._started(*waiting.popleft())
                admitted.append(started)
                room -= started.rows
            found = seeds(self.evaluator, [(one.number, one.problem) for one in admitted])
            for one, seed in zip(admitted, found, strict=True):
                one.kept = kept_labels(seed.labels_original, seed.labels_compressed)
                yield seed
            running += admitted
            now = self._fitting(running)
            running = [*(yield from self._step(now)), *running[len(now) :]]

    def _step(self, now: list[_Running]) -> Generator[Event, None, list[_Running]]:
        """Evaluate the asks of some searches together; returns those that go on."""
        going_on = []
        answers = self.evaluator([(one.problem, one.ask.candidates) for one in now])
        if self.evaluator.twins:
            answers = with_gradients(self.evaluator.twins, [one.ask for one in now], answers)
        for one, done in zip(now, answers, strict=True):
            thinking = one.thinking / max(1, one.rows)
            hits = reached(self.stop.goal, done.tell, one.kept, one.problem.target)
            yield Step(
                number=one.number,
                generation=one.generation,
                candidates=np.ascontiguousarray(one.ask.candidates, dtype=np.float32),
                survivors=one.ask.survivors,
                evaluated=done,
                reached=hits,
                seconds=done.seconds + thinking,
            )
            if one.watch.over(done.tell, hits) or not self._advance(one, done.tell):
                one.search.close()
                yield Finished(one.number)
            else:
                going_on.append(one)
        return going_on

    def _rows(self, problem: Problem) -> int:
        """How many inputs are evaluated together."""
        return max(1, min(self.evaluator.rows, int(self.memory_mb * 1e6 / (COPIES * problem.inputs[0].nbytes))))

    def _fitting(self, running: list[_Running]) -> list[_Running]:
        """The first searches whose asks fit together; at least one."""
        ends = np.cumsum([one.rows for one in running])
        return running[: max(1, int(np.searchsorted(ends, self._rows(running[0].problem), side="right")))]

    def _started(self, number: int, problem: Problem) -> _Running:
        begin = process_time()
        search = self.evaluator.tool.start(problem)
        try:
            ask = next(search)
        except StopIteration:
            tool = self.evaluator.tool.id
            raise ValueError(f"{tool}: the searcher ended without asking for a single candidate") from None
        return _Running(number, problem, search, Watch(self.stop), ask, process_time() - begin)

    @staticmethod
    def _advance(one: _Running, tell: Tell) -> bool:
        """Let a search think; whether it asks again."""
        begin = process_time()
        try:
            one.ask = one.search.send(tell)
        except StopIteration:
            return False
        one.thinking = process_time() - begin
        one.generation += 1
        return True


def seeds(evaluator: Evaluator, admitted: Sequence[tuple[int, Problem]]) -> Iterator[Seed]:
    """Both networks on the seed inputs of some problems."""
    if not admitted:
        return
    originals = evaluator.originals([problem for _, problem in admitted])
    outputs = evaluator.networks(originals.inputs)
    known = {
        "labels_original": outputs.original.argmax(axis=1),
        "labels_compressed": outputs.compressed.argmax(axis=1),
        "digests": np.array([digest(row) for row in originals.inputs], np.uint64),
        "fallback": evaluator.tool.constraint.fallback(originals),
    }
    first = 0
    for number, problem in admitted:
        part = slice(first, first := first + len(problem.inputs))
        yield Seed(number, **{name: values[part] for name, values in known.items()})
