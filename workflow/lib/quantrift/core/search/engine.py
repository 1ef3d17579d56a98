"""The lockstep engine: searches of many seed inputs advance side by side and share both networks' batches.

A search's result depends on its own key and the networks alone; it does not matter which others run beside it. So
searches may also run one after the other, where their seconds are wanted (``Engine.isolated``).
"""

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from time import process_time

import numpy as np

from quantrift.core.pairs.pair import Outputs
from quantrift.core.search.evaluator import Evaluated, Evaluator, apart, digest, with_gradients
from quantrift.core.search.messages import Ask, Problem, Search, Tell
from quantrift.core.search.stopping import Stop, Watch, kept_labels, reached

AHEAD = 64
"""Inputs of a step up to which it also evaluates candidates that searches expect to ask for."""


@dataclass(frozen=True, eq=False)
class Seed:
    """Outputs of both networks on the B seed inputs of a search, which are not counted as candidates."""

    number: int
    """Place of the problem in the list the engine was given."""
    labels_original: np.ndarray
    """int64 (B,)."""
    labels_compressed: np.ndarray
    digests: np.ndarray
    """xxh3-64 of each input's bytes, uint64 (B,)."""
    fallback: np.ndarray
    """Whether a fallback of the constraint applies to them, bool (B,)."""


@dataclass(frozen=True, eq=False)
class Step:
    """One evaluated generation of one search."""

    number: int
    generation: int
    """Counted from 0."""
    candidates: np.ndarray
    """float32 (n, *space.shape)."""
    survivors: np.ndarray | None
    """See ``Ask``."""
    evaluated: Evaluated
    reached: np.ndarray
    """Whether each row reaches the goal of the search (``quantrift.core.search.stopping``), bool (n * B,)."""
    seconds: np.ndarray
    """Charged seconds of each row, float64 (n * B,): its share of the batch and of its searcher's own computing."""


@dataclass(frozen=True, eq=False)
class Finished:
    """The end of one search."""

    number: int


Event = Seed | Step | Finished
"""What an engine yields for each search."""


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
    known: deque[tuple[np.ndarray, Evaluated]] = field(default_factory=deque)
    """Candidates that the search expects to ask for, and their evaluations."""

    @property
    def rows(self) -> int:
        """Inputs that the ask decodes to."""
        return len(self.ask.candidates) * len(self.problem.inputs)

    def answer(self) -> Evaluated | None:
        """The answer to the ask, if it is what the search expected; others are forgotten then."""
        if self.known and self.known[0][0] is self.ask.candidates:
            return self.known.popleft()[1]
        self.known.clear()
        return None

    def advance(self, tell: Tell) -> bool:
        """Advance the search to its next ask; False when it ends."""
        begin = process_time()
        try:
            self.ask = self.search.send(tell)
        except StopIteration:
            return False
        self.thinking = process_time() - begin
        self.generation += 1
        return True


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
            # The first searches whose asks have at most so many rows together; at least one.
            now = running[: max(1, int(np.searchsorted(np.cumsum([one.rows for one in running]), most, side="right")))]
            running = [*(yield from self._step(now)), *running[len(now) :]]

    def _warm_up(self, problem: Problem) -> None:
        """Evaluate some candidates of a search and forget them, as libraries load much with their first use."""
        spent = 0
        for event in replace(self, stop=Stop(self.stop.goal), isolated=False).run([problem]):
            spent += len(event.candidates) if isinstance(event, Step) else 0
            # So many that each operator of a searcher had its turn.
            if spent >= 200:
                return

    def _step(self, now: list[_Running]) -> Generator[Event, None, list[_Running]]:
        """Evaluate the asks of some searches together; returns the searches that go on."""
        going_on = []
        for one, done in zip(now, self._answers(now), strict=True):
            answer: Evaluated | None = done
            while answer is not None:
                hits = reached(self.stop.goal, answer.tell, one.kept, one.problem.target)
                yield Step(
                    number=one.number,
                    generation=one.generation,
                    candidates=np.ascontiguousarray(one.ask.candidates, dtype=np.float32),
                    survivors=one.ask.survivors,
                    evaluated=answer,
                    reached=hits,
                    seconds=answer.seconds + one.thinking / max(1, one.rows),
                )
                if one.watch.over(answer.tell, hits) or not one.advance(answer.tell):
                    one.search.close()
                    yield Finished(one.number)
                    break
                answer = one.answer()
            else:
                going_on.append(one)
        return going_on

    def _answers(self, now: list[_Running]) -> list[Evaluated]:
        """Evaluations of the asks; in the room that they leave, also of candidates that searches expect to ask for."""
        begin = process_time()
        expected = self._expected(now)
        answers = self.evaluator(
            [
                (one.problem, np.concatenate([one.ask.candidates, *later]) if later else one.ask.candidates)
                for one, later in zip(now, expected, strict=True)
            ]
        )
        if self.evaluator.twins:
            answers = with_gradients(self.evaluator.twins, [one.ask for one in now], answers)
        if self.isolated:
            # Rows are charged with what grows with their number. A search alone causes the rest, too.
            [done] = answers
            rest = process_time() - begin - float(done.seconds.sum())
            return [replace(done, seconds=done.seconds + rest / len(done.seconds))]
        for place, (one, later) in enumerate(zip(now, expected, strict=True)):
            if later:
                # An ask that expects others has one candidate.
                answers[place], *rest_of_them = apart(answers[place])
                one.known = deque(zip(later, rest_of_them, strict=True))
        return answers

    def _expected(self, now: list[_Running]) -> list[Sequence[np.ndarray]]:
        """Of each search the expected candidates to evaluate, as far as there is room.

        Gradients are asked for one by one, and a search alone is evaluated as it asks.
        """
        alone = self.evaluator.twins or self.isolated
        room = 0 if alone else min(AHEAD, self._rows(now[0].problem)) - sum(one.rows for one in now)
        chosen = []
        for one in now:
            size = len(one.problem.inputs)
            chosen.append(one.ask.expected[: max(0, room) // size])
            room -= size * len(chosen[-1])
        return chosen

    def _rows(self, problem: Problem) -> int:
        """Number of inputs evaluated together."""
        return min(self.evaluator.rows, rows_within(self.memory_mb, problem.inputs[0].nbytes))

    def _started(self, seed: Seed, problem: Problem) -> _Running:
        begin = process_time()
        tool = self.evaluator.tool
        search = tool.start(problem)
        if (ask := next(search, None)) is None:
            raise ValueError(f"{tool.id}: the searcher ended without asking for a single candidate")
        return _Running(
            number=seed.number,
            problem=problem,
            search=search,
            watch=Watch(self.stop, getattr(tool.objective, "RANKED", None)),
            kept=kept_labels(seed.labels_original, seed.labels_compressed),
            ask=ask,
            thinking=process_time() - begin,
        )


def rows_within(memory_mb: float, nbytes: int) -> int:
    """Number of inputs of so many bytes, at least one, that a step may hold in so much memory."""
    # A step holds four arrays of the size of the decoded inputs at once: originals, inputs, errors, valid rows.
    return max(1, int(memory_mb * 1e6 / (4 * nbytes)))


def seeded(evaluator: Evaluator, problems: Sequence[Problem], rows: int) -> Iterator[tuple[Seed, Problem]]:
    """Run both networks on the seed inputs of each problem and store their outputs in it; ``rows`` inputs at once.

    Fewer are run at once where they are large.
    """
    first_inputs = problems[0].inputs if problems else np.empty((1, 1))
    together = max(1, min(rows, evaluator.together(first_inputs[0].nbytes)) // len(first_inputs))
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
            yield (
                Seed(number, **{name: values[part] for name, values in known.items()}),
                replace(problem, seen=Outputs(outputs.original[part], outputs.compressed[part])),
            )
