"""The lockstep engine: searches of many seed inputs advance side by side and share both networks' batches.

A search's result depends on its own key and the networks alone; it does not matter which others run beside it. So
searches may also run one after the other, where their seconds are wanted (``Engine.isolated``).
"""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from time import process_time

import numpy as np

from quantrift.search.evaluator import Evaluator, digest
from quantrift.search.events import Event, Finished, Seed, Step
from quantrift.search.goal import kept_labels, reached
from quantrift.search.gradients import with_gradients
from quantrift.search.messages import Ask, Problem, Search, Tell
from quantrift.search.stopping import Stop, Watch
from quantrift.subjects.pair import Outputs

COPIES = 4
"""Arrays of the size of the decoded inputs that a step holds at once: originals, inputs, errors, valid rows."""
WARM_UP = 200
"""Candidates that are evaluated before the first isolated search, so that each operator of a searcher had its turn."""


@dataclass(eq=False)
class _Running:
    number: int
    problem: Problem
    search: Search
    watch: Watch
    kept: np.ndarray
    """Label that both models give each seed input, -1 where they disagree."""
    ask: Ask
    thinking: float
    generation: int = 0

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
    isolated: bool = False
    """Run one search after the other, each in the batches that it asks for. Its seconds are then all that the process
    computes for it but its records."""

    def run(self, problems: Sequence[Problem]) -> Iterator[Event]:
        """Run a search for each problem.

        Yields:
            For each problem one ``Seed``, a ``Step`` per generation, and one ``Finished``, in this order. Events of
            different problems interleave.
        """
        if self.isolated and problems:
            self._warm_up(problems[0])
        most = self._rows(problems[0]) if problems and not self.isolated else 1
        waiting = seeded(self.evaluator, problems, most)
        running: list[_Running] = []
        while True:
            room = most - sum(one.rows for one in running)
            while (room > 0 or not running) and (ready := next(waiting, None)):
                seed, problem = ready
                yield seed
                running.append(self._started(seed, problem))
                room -= running[-1].rows
            if not running:
                return
            now = self._fitting(running, most)
            running = [*(yield from self._step(now)), *running[len(now) :]]

    def _warm_up(self, problem: Problem) -> None:
        """Evaluate some candidates of a search and forget them, as libraries load much with their first use."""
        spent = 0
        for event in replace(self, stop=Stop(self.stop.goal), isolated=False).run([problem]):
            spent += len(event.candidates) if isinstance(event, Step) else 0
            if spent >= WARM_UP:
                return

    def _step(self, now: list[_Running]) -> Generator[Event, None, list[_Running]]:
        """Evaluate the asks of some searches together; returns the searches that go on."""
        going_on = []
        begin = process_time()
        answers = self.evaluator([(one.problem, one.ask.candidates) for one in now])
        if self.evaluator.twins:
            answers = with_gradients(self.evaluator.twins, [one.ask for one in now], answers)
        spent = process_time() - begin
        for one, done in zip(now, answers, strict=True):
            # Rows are charged with what grows with their number. A search alone causes the rest, too.
            rest = spent - float(done.seconds.sum()) if self.isolated else 0.0
            own = (one.thinking + rest) / max(1, one.rows)
            hits = reached(self.stop.goal, done.tell, one.kept, one.problem.target)
            yield Step(
                number=one.number,
                generation=one.generation,
                candidates=np.ascontiguousarray(one.ask.candidates, dtype=np.float32),
                survivors=one.ask.survivors,
                evaluated=done,
                reached=hits,
                seconds=done.seconds + own,
            )
            if one.watch.over(done.tell, hits) or not self._advance(one, done.tell):
                one.search.close()
                yield Finished(one.number)
            else:
                going_on.append(one)
        return going_on

    def _rows(self, problem: Problem) -> int:
        """Number of inputs evaluated together."""
        return min(self.evaluator.rows, rows_within(self.memory_mb, problem.inputs[0].nbytes))

    @staticmethod
    def _fitting(running: list[_Running], most: int) -> list[_Running]:
        """The first searches whose asks have at most ``room`` rows together; at least one."""
        ends = np.cumsum([one.rows for one in running])
        return running[: max(1, int(np.searchsorted(ends, most, side="right")))]

    def _started(self, seed: Seed, problem: Problem) -> _Running:
        begin = process_time()
        tool = self.evaluator.tool
        search = tool.start(problem)
        try:
            ask = next(search)
        except StopIteration:
            raise ValueError(f"{tool.id}: the searcher ended without asking for a single candidate") from None
        return _Running(
            number=seed.number,
            problem=problem,
            search=search,
            watch=Watch(self.stop, getattr(tool.objective, "RANKED", None)),
            kept=kept_labels(seed.labels_original, seed.labels_compressed),
            ask=ask,
            thinking=process_time() - begin,
        )

    @staticmethod
    def _advance(one: _Running, tell: Tell) -> bool:
        """Advance a search to its next ask; False when it ends."""
        begin = process_time()
        try:
            one.ask = one.search.send(tell)
        except StopIteration:
            return False
        one.thinking = process_time() - begin
        one.generation += 1
        return True


def rows_within(memory_mb: float, nbytes: int) -> int:
    """Number of inputs of so many bytes, at least one, that a step may hold in so much memory."""
    return max(1, int(memory_mb * 1e6 / (COPIES * nbytes)))


def seeded(evaluator: Evaluator, problems: Sequence[Problem], rows: int) -> Iterator[tuple[Seed, Problem]]:
    """Run both networks on the seed inputs of each problem and store their outputs in it; ``rows`` inputs at once."""
    together = max(1, rows // len(problems[0].inputs)) if problems else 1
    for start in range(0, len(problems), together):
        block = problems[start : start + together]
        originals = evaluator.originals(block)
        outputs = evaluator.networks(originals.inputs)
        known = {
            "labels_original": outputs.original.argmax(axis=1),
            "labels_compressed": outputs.compressed.argmax(axis=1),
            "digests": np.array([digest(row) for row in originals.inputs], np.uint64),
            "fallback": evaluator.tool.constraint.fallback(originals),
        }
        first = 0
        for number, problem in enumerate(block, start):
            part = slice(first, first := first + len(problem.inputs))
            seen = Outputs(outputs.original[part], outputs.compressed[part])
            yield Seed(number, **{name: values[part] for name, values in known.items()}), replace(problem, seen=seen)
