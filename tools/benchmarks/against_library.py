"""Benchmark of the lockstep engine against the published stack: a search library, one candidate at a time."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from tools.benchmarks.benchmark_searches import Searched
from tools.benchmarks.result import Result

from quantrift.core.base.paths import Paths
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.pairs.pair import Networks, Outputs
from quantrift.core.search.engine import Engine, Event, Step
from quantrift.core.search.evaluator import Evaluator
from quantrift.core.search.library_engine import LibraryEngine
from quantrift.study.planning.root import Config

LOCKSTEP = 40
"""Seed inputs searched side by side."""
ALONE = 4
"""Number of these that the library searches too, spread evenly."""


class PublishedStack:
    """The original by ``keras.Model.predict``, as trained; the compressed model by an interpreter for one input."""

    def __init__(self, original: Path, compressed: Path) -> None:
        # Only here: TensorFlow takes seconds to load.
        from quantrift.core.networks.keras_files import load

        self._original, self._compressed = load(original), LiteRT(compressed, batch=1)

    def __call__(self, x: np.ndarray) -> Outputs:
        """See ``quantrift.core.pairs.pair.Networks``."""
        if not len(x):
            return Outputs(self._compressed(x), self._compressed(x))
        return Outputs(np.asarray(self._original.predict(x, verbose=0)), self._compressed(x))


@dataclass(eq=False)
class Library:
    """Time of the library over that of lockstep, on the same searches: as many candidates, of which as many are valid.

    A search in lockstep takes its share of the wall time, by the seconds charged to its candidates.
    """

    searched: Searched

    def needs(self, config: Config, paths: Paths) -> list[Path]:
        """The subject's files, and the original as it was trained."""
        files = self.searched.needs(config, paths)
        self._trained = self.searched.files.original.with_name("model.keras")
        return [*files, self._trained]

    def measure(self) -> Result:
        """All three ways once."""
        ready, todo = self.searched.ready(LOCKSTEP)
        places = range(0, LOCKSTEP, LOCKSTEP // ALONE)
        alone = [todo[place] for place in places]
        stack = PublishedStack(self._trained, self.searched.files.compressed)
        stack(todo[0].inputs)
        lockstep = _Spent.by(Engine(ready, memory_mb=self.searched.job.memory_mb).run(todo))
        share = sum(lockstep.charged[place] for place in places) / sum(lockstep.charged.values())
        published = _Spent.by(LibraryEngine(_with(ready, stack)).run(alone))
        same = _Spent.by(LibraryEngine(ready).run(alone))
        batch = np.resize(np.concatenate([one.inputs for one in todo]), (256, *todo[0].inputs.shape[1:]))
        begin = perf_counter()
        ready.networks(batch)
        models = (perf_counter() - begin) / len(batch)
        ratio = published.wall / (lockstep.wall * share)
        return Result(
            value=ratio,
            unit="ratio",
            baseline="the library, keras.Model.predict and an interpreter for one input, on the same searches",
            ratio=ratio,
            details={
                "candidates": same.candidates,
                "valid": same.valid,
                "lockstep_seconds": lockstep.wall * share,
                "published_seconds": published.wall,
                "same_runtime_seconds": same.wall,
                "ratio_same_runtime": same.wall / (lockstep.wall * share),
                # Lower bound of a search: its valid candidates' inference alone, at batch 256.
                "ratio_same_runtime_limit": same.wall / (models * same.valid),
            },
        )


def _with(ready: Evaluator, networks: Networks) -> Evaluator:
    return Evaluator(ready.tool, networks, ready.scene, ready.rows)


@dataclass(frozen=True)
class _Spent:
    """Time of some searches."""

    wall: float
    charged: dict[int, float]
    """Seconds charged to the candidates of each search."""
    candidates: int
    valid: int

    @staticmethod
    def by(events: Iterable[Event]) -> "_Spent":
        begin, charged, candidates, valid = perf_counter(), dict[int, float](), 0, 0
        for event in events:
            if isinstance(event, Step):
                charged[event.number] = charged.get(event.number, 0.0) + float(event.seconds.sum())
                candidates += len(event.candidates)
                valid += int(event.evaluated.tell.valid.sum())
        return _Spent(perf_counter() - begin, charged, candidates, valid)
