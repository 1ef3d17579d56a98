"""Replaying records: every stored vector must decode to the same input and give the same two labels again."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from quantrift.base.errors import QuantriftError
from quantrift.base.files import sha256
from quantrift.data.inputs import Inputs
from quantrift.search.evaluator import digest
from quantrift.search.record_metadata import damage_named, results_of, settings
from quantrift.search.run import Files, evaluator
from quantrift.search.space import Originals

ROWS = 256
"""Candidates decoded at once."""


@dataclass(frozen=True)
class Replay:
    """Outcome of a replay."""

    rows: int
    """Difference-inducing inputs whose vector is stored."""
    same_input: int
    """Number of these that decode to the recorded input, bit for bit."""
    same_labels: int
    """Number of these that get both recorded labels."""
    largest_difference: float
    """Largest difference between recorded and replayed fitness."""
    changed: list[str]
    """Files that changed since the records were made."""

    @property
    def complete(self) -> bool:
        """Whether every row was replayed as recorded."""
        return self.rows == self.same_input == self.same_labels


def files_of(path: Path, made: Mapping[str, Any]) -> Files:
    """The files in its results folder that a records file was made from; ``made``: its settings."""
    return Files.of(results_of(path), made["subject"], made["tool_settings"], made.get("original_runtime", "litert"))


def replay(path: Path) -> Replay:
    """Decode and run every stored vector of a records file again.

    Raises:
        QuantriftError: if the file or the models beside it cannot be read.
    """
    made = settings(path)
    with damage_named(path):
        files = files_of(path, made)
    missing = [str(file) for file in files.present.values() if not file.is_file()]
    if missing:
        raise QuantriftError(f"{path}: its models and inputs are needed too, missing: {', '.join(missing)}")
    changed = [name for name, file in files.present.items() if sha256(file) != made.get("sha256", {}).get(name)]
    inputs = Inputs.load(files.inputs)
    with damage_named(path):
        ready = evaluator(files, made["tool"], made["tool_settings"], inputs, ROWS)

    rows = same_input = same_labels = 0
    difference = 0.0
    columns = ["input", "target", "label_original", "label_compressed", "fitness", "digest", "vector"]
    with damage_named(path):
        for batch in pq.ParquetFile(path).iter_batches(ROWS, columns=columns):
            stored = batch.filter(batch["vector"].is_valid())
            if not stored.num_rows:
                continue
            recorded = {name: stored[name].to_numpy() for name in columns[:-1]}
            vectors = np.stack([np.asarray(vector, np.float32) for vector in stored["vector"].to_pylist()])
            originals = Originals.of(inputs, recorded["input"])
            decoded = ready.tool.space.decode(vectors, originals, np.arange(len(vectors)))
            digests = np.array([digest(row) for row in decoded], np.uint64)
            outputs = replace(ready.networks(decoded), targets=recorded["target"].astype(np.int64))
            same = [
                logits.argmax(axis=1) == recorded[f"label_{name}"]
                for name, logits in (("original", outputs.original), ("compressed", outputs.compressed))
            ]
            rows += len(vectors)
            same_input += int((digests == recorded["digest"]).sum())
            same_labels += int((same[0] & same[1]).sum())
            gap = np.abs(ready.tool.objective.score(outputs)[:, 0] - recorded["fitness"])
            difference = max(difference, float(gap.max()))
    return Replay(rows, same_input, same_labels, difference, changed)
