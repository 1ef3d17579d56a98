"""Seed inputs: which test inputs the searches of each run seed start from."""

import csv
from pathlib import Path

import numpy as np

from quantrift.config.errors import QuantriftError
from quantrift.config.files import replacing
from quantrift.config.streams import stream
from quantrift.data.inputs import Inputs
from quantrift.models.runtimes.protocol import Runtime

CHUNK = 1024
"""Inputs that are cut at once while the pool is classified."""


def pool(inputs: Inputs, original: Runtime) -> np.ndarray:
    """Test inputs that the original classifies correctly (DiverGet §5.2): their numbers, int64, ascending."""
    correct = [
        part[original(inputs.take(part)).argmax(axis=1) == inputs.labels[part]]
        for part in (inputs.test[start : start + CHUNK] for start in range(0, len(inputs.test), CHUNK))
    ]
    return np.concatenate(correct) if correct else np.empty(0, np.int64)


def draw(
    candidates: np.ndarray, dataset: str, model: str, run_seeds: int, inputs: int, overlap: bool, skip: int = 0
) -> np.ndarray:
    """Seed inputs of each run seed, int64 (run_seeds, inputs).

    Drawn for a dataset and network, never for a tool or compression, so that comparisons of those are paired.
    Without ``overlap`` no input serves two run seeds. ``skip`` inputs from the front of the order in which all are
    drawn are passed over; with ``overlap`` there is no such order, and nothing is.

    Raises:
        QuantriftError: if the pool is too small.
    """
    wanted = inputs if overlap else run_seeds * inputs
    if skip + wanted > len(candidates):
        skipped = f" beside {skip} that are skipped" if skip else ""
        raise QuantriftError(
            f"{dataset}/{model}: {wanted} seed inputs wanted ({run_seeds} run seeds x {inputs}){skipped}, but the "
            f"original classifies only {len(candidates)} test inputs correctly; lower run_seeds or inputs, or "
            f"{'skip' if skip else 'set overlap: true'}"
        )
    if overlap:
        rows = [stream("seeds", dataset, model, seed).permutation(candidates)[:inputs] for seed in range(run_seeds)]
        return np.stack(rows)
    return stream("seeds", dataset, model).permutation(candidates)[skip : skip + wanted].reshape(run_seeds, inputs)


def write(path: Path, seeds: np.ndarray, inputs: Inputs) -> None:
    """The list as CSV: run_seed, input, true_label."""
    with replacing(path) as temporary, temporary.open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["run_seed", "input", "true_label"])
        for run_seed, chosen in enumerate(seeds):
            rows.writerows([run_seed, index, inputs.labels[index]] for index in chosen.tolist())


def read(path: Path, run_seeds: range) -> list[tuple[int, int]]:
    """(run seed, input) of the given run seeds, in the order they were drawn.

    Raises:
        QuantriftError: if the file holds no inputs for one of them.
    """
    with path.open(newline="") as file:
        found = [(int(row["run_seed"]), int(row["input"])) for row in csv.DictReader(file)]
    missing = set(run_seeds) - {run_seed for run_seed, _ in found}
    if missing:
        raise QuantriftError(f"{path}: no inputs for run seeds {sorted(missing)}; delete the file and run again")
    return [(run_seed, index) for run_seed, index in found if run_seed in run_seeds]
