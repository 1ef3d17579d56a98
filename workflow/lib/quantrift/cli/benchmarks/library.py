"""The lockstep engine against the published stack: a search library that evaluates one candidate at a time."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from quantrift.cli.benchmarks.result import Result
from quantrift.cli.benchmarks.searched import Searched
from quantrift.config.paths import Paths
from quantrift.config.root import Config
from quantrift.models.runtimes.litert import LiteRT
from quantrift.search.engine import Engine
from quantrift.search.evaluator import Evaluator
from quantrift.search.events import Event, Step
from quantrift.search.library import LibraryEngine
from quantrift.subjects.pair import Networks, Outputs

LOCKSTEP = 40
"""Seed inputs searched side by side."""
PUBLISHED = 1
"""Seed inputs searched by the published stack, which takes a minute for each."""
SAME_RUNTIME = 4
"""Seed inputs searched by the library on our runtimes."""


class PublishedStack:
    """The original by ``keras.Model.predict``, as trained; the compressed model by an interpreter for one input."""

    def __init__(self, original: Path, compressed: Path) -> None:
        # Only here: TensorFlow takes seconds to load.
        from quantrift.models.saving import load

        self._original, self._compressed = load(original), LiteRT(compressed, batch=1)

    def __call__(self, x: np.ndarray) -> Outputs:
        """See ``quantrift.subjects.pair.Networks``."""
        if not len(x):
            return Outputs(self._compressed(x), self._compressed(x))
        return Outputs(np.asarray(self._original.predict(x, verbose=0)), self._compressed(x))


@dataclass(eq=False)
class Library:
    """Candidates a second in lockstep over those of the library that the searcher follows, on the same searches."""

    searched: Searched

    def needs(self, config: Config, paths: Paths) -> list[Path]:
        """The subject's files, and the original as it was trained."""
        files = self.searched.needs(config, paths)
        self._trained = self.searched.files.original.with_name("model.keras")
        return [*files, self._trained]

    def measure(self) -> Result:
        """All three ways once, on equal candidates where they search equal inputs."""
        ready, todo = self.searched.ready(LOCKSTEP)
        stack = PublishedStack(self._trained, self.searched.files.compressed)
        stack(todo[0].inputs)
        lockstep = _rate(Engine(ready, memory_mb=self.searched.job.memory_mb).run(todo))
        published = _rate(LibraryEngine(_with(ready, stack)).run(todo[:PUBLISHED]))
        same = _rate(LibraryEngine(ready).run(todo[:SAME_RUNTIME]))
        batch = np.resize(np.concatenate([one.inputs for one in todo]), (256, *todo[0].inputs.shape[1:]))
        begin = perf_counter()
        ready.networks(batch)
        alone = (perf_counter() - begin) / len(batch)
        ratio = lockstep["rate"] / published["rate"]
        return Result(
            value=ratio,
            unit="ratio",
            baseline="the library, keras.Model.predict and an interpreter for one input; candidates a second",
            ratio=ratio,
            details={
                "lockstep_candidates_per_second": lockstep["rate"],
                "published_candidates_per_second": published["rate"],
                "same_runtime_candidates_per_second": same["rate"],
                "ratio_same_runtime": lockstep["rate"] / same["rate"],
                # A search that cost nothing beside its valid candidates' inference at batch 256.
                "ratio_same_runtime_limit": 1 / (same["rate"] * alone * same["valid"]),
            },
        )


def _with(ready: Evaluator, networks: Networks) -> Evaluator:
    return Evaluator(ready.tool, networks, ready.scene, ready.rows)


def _rate(events: Iterable[Event]) -> dict[str, float]:
    """Candidates a second of wall time, and the share of them that was valid."""
    begin, generated, valid = perf_counter(), 0, 0
    for event in events:
        if isinstance(event, Step):
            generated += len(event.candidates)
            valid += int(event.evaluated.tell.valid.sum())
    return {"rate": generated / (perf_counter() - begin), "valid": valid / generated}
