"""Benchmark of verdicts on other tasks than classification: tiny networks for drawn shapes, with planted faults.

Held-out images decide whether a pair is broken: the share of them on which the networks do not agree is held against
the limit of an assessment, with its 99 % interval. Natural changes are left out, as they are of the same task there.
"""

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from scipy import stats
from tools.benchmarks.result import Result

from quantrift.core.base.arrays import write_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.paths import Paths
from quantrift.study.planning.root import Config

TASKS: Mapping[str, Mapping[str, object]] = {
    "regress": {"tolerance": (1.0,), "share": False},
    "multilabel": {},
    "detect": {},
}
"""Task -> its settings; a pixel of tolerance for positions."""
GIVEN, HELD_OUT = 400, 2000
"""Images of an assessment, and those that tell the truth."""
SURE = 0.99


@dataclass(eq=False)
class VerdictsOfTasks:
    """Wrong verdicts: broken pairs that pass and good ones that fail."""

    seeds: int = 100
    generations: int = 10

    def needs(self, config: Config, paths: Paths) -> list[Path]:
        """No files of the workflow."""
        return []

    def measure(self) -> Result:
        """All pairs of all tasks."""
        rows = list(self._rows())
        wrong = sum((row["state"], row["verdict"]) in {("broken", "pass"), ("good", "fail")} for row in rows)
        counts = {
            f"{state}_{verdict}": float(sum((row["state"], row["verdict"]) == (state, verdict) for row in rows))
            for state in ("broken", "good", "borderline")
            for verdict in ("pass", "inconclusive", "fail", "refused")
        }
        decided = sum(row["state"] != "borderline" for row in rows)
        baseline = "pairs of which held-out images say whether they are broken or good"
        return Result(wrong, "wrong verdicts", baseline, wrong / max(1, decided), counts, rows)

    def _rows(self) -> Iterator[Mapping[str, Any]]:
        # Only here, as these libraries take seconds to load.
        from quantrift.core.networks.tflite_files import to_tflite
        from quantrift.study.league.planted.drawn_shapes import FAULTS, SOUND, shapes, trained

        for task in TASKS:
            model, given = trained(task), shapes(task, GIVEN, "given")
            with tempfile.TemporaryDirectory(prefix="quantrift-") as name:
                folder = Path(name)
                (folder / "original.tflite").write_bytes(to_tflite(model))
                # Without truth: verdicts rest on agreement alone.
                write_arrays(folder / "inputs.npz", {"inputs": given.images})
                for kind, make in {**SOUND, **FAULTS[task]}.items():
                    file = folder / "compressed.tflite"
                    file.write_bytes(make(model, shapes(task, 100, "train").images))
                    begin = perf_counter()
                    row = {"task": task, "kind": kind, "planted": kind not in SOUND}
                    row |= _truth(task, folder, shapes(task, HELD_OUT, "held out").images)
                    yield row | self._verdict(task, folder) | {"seconds": round(perf_counter() - begin, 1)}

    def _verdict(self, task: str, folder: Path) -> dict[str, Any]:
        from quantrift.core.pairs.task import task_of
        from quantrift.judge.verdict.profiles import Settings
        from quantrift.judge.verdict.run import assess

        settings = Settings(seeds=self.seeds, generations=self.generations, task=task_of(task, TASKS[task]))
        files = folder / "original.tflite", [folder / "compressed.tflite"], folder / "inputs.npz"
        try:
            found = assess(*files, folder / "out", settings)
        except QuantriftError as error:
            return {"verdict": "refused", "evidence": str(error)}
        return {"verdict": found.verdict, "evidence": found.verdict_text}


def _truth(task: str, folder: Path, images: np.ndarray) -> dict[str, Any]:
    """State of a pair, and the share of the images on which the networks do not agree."""
    from quantrift.core.networks.graphs.file_tensors import matched
    from quantrift.core.networks.runtime import load_values
    from quantrift.core.pairs.task import task_of
    from quantrift.core.pairs.task_pair import Agreement
    from quantrift.judge.verdict.assessment import LIMITS

    path = folder / "compressed.tflite"
    first, second = (load_values("litert", one) for one in (folder / "original.tflite", path))
    own, other = first.signature.values, second.signature.values
    assert own is not None
    assert other is not None
    order, _ = matched(path, own, other)
    plain = Agreement(task_of(task, TASKS[task]), own.names, own.shapes, order)
    values = first(images), second(images)
    settled = plain.task.settled(plain.original(values[0]), plain.compressed(values[1]))
    agreement = Agreement(settled, own.names, own.shapes, order)
    differing = int((agreement.difference(*values) > 1).sum())
    interval = stats.binomtest(differing, len(images)).proportion_ci(SURE, method="wilson")
    limit = LIMITS.max_disagreement or 0.0
    state = "broken" if interval.low > limit else "good" if interval.high < limit else "borderline"
    return {"state": state, "disagreement": differing / len(images)}
