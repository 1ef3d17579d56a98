"""The engine that runs published search libraries themselves, unmodified: one search and one candidate at a time.

For comparisons of results and speed with the lockstep engine, which follows the same update rules.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from time import process_time

import numpy as np

from quantrift.core.search.engine import Event, Finished, Step, seeded
from quantrift.core.search.evaluator import Evaluated, Evaluator, joined
from quantrift.core.search.messages import Problem, Verdict
from quantrift.core.search.stopping import Stop, Watch, kept_labels, reached


class _Over(Exception):
    """Raised inside an evaluation to end a library's search."""


@dataclass(eq=False)
class LibraryEngine:
    """Runs searches of one tool by the library its searcher follows.

    A generation is as many evaluations as the searcher's lockstep form asks for at once. The library does not say which
    members of a population survive, so survivors are not counted again.
    """

    evaluator: Evaluator
    stop: Stop = field(default_factory=Stop)

    def run(self, problems: Sequence[Problem]) -> Iterator[Event]:
        """Run a search for each problem, one after the other; yields what ``Engine.run`` does."""
        for seed, problem in seeded(self.evaluator, problems, 1):
            yield seed
            yield from self._search(seed.number, problem, kept_labels(seed.labels_original, seed.labels_compressed))
            yield Finished(seed.number)

    def _search(self, number: int, problem: Problem, kept: np.ndarray) -> Iterator[Step]:
        """Run one search to its end, then yield its generations; ``kept`` as in ``stopping.reached``."""
        tool = self.evaluator.tool
        module = import_module(tool.searcher.LIBRARY)  # type: ignore[attr-defined]
        first, later = tool.params.sizes
        watch = Watch(self.stop, getattr(tool.objective, "RANKED", None))
        steps: list[Step] = []
        waiting: list[tuple[np.ndarray, Evaluated, float]] = []
        returned = process_time()

        def evaluate(candidate: np.ndarray) -> Verdict:
            nonlocal returned
            thinking = process_time() - returned
            single = np.ascontiguousarray(candidate, dtype=np.float32)[None]
            [done] = self.evaluator([(problem, single)])
            waiting.append((single, done, thinking))
            if len(waiting) == (later if steps else first):
                whole = joined([part for _, part, _ in waiting])
                hits = reached(self.stop.goal, whole.tell, kept, problem.target)
                steps.append(
                    Step(
                        number=number,
                        generation=len(steps),
                        candidates=np.concatenate([one for one, _, _ in waiting]),
                        survivors=None,
                        evaluated=whole,
                        reached=hits,
                        seconds=np.concatenate(
                            [part.seconds + spent / len(part.seconds) for _, part, spent in waiting]
                        ),
                    )
                )
                waiting.clear()
                if watch.over(whole.tell, hits):
                    raise _Over
            returned = process_time()
            tell = done.tell
            return Verdict(float(tell.fitness[0, 0]), bool(tell.valid[0]), float(tell.violation[0]))

        with suppress(_Over):
            module.run(problem, tool.params, tool.stream(problem), evaluate)
        yield from steps
