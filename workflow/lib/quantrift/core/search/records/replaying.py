"""Replaying records: every stored vector must decode to the same input and give the same two labels again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base import table_files
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.foreign.given_files import GivenFiles
from quantrift.core.networks.runtime import file_digest
from quantrift.core.pairs.pair import FROM_FILES, Loaded
from quantrift.core.pairs.task_pair import ComparedNetwork
from quantrift.core.search.evaluator import Evaluator, digest
from quantrift.core.search.objective import softmax
from quantrift.core.search.record_columns import damage_named, results_of, settings, switched_on
from quantrift.core.search.results_files import files_in
from quantrift.core.search.run import Files, evaluator
from quantrift.core.search.space import Originals

ROWS = 256
"""Candidates decoded at once."""
MOST_ROWS = 20_000_000
"""Rows of a records file at most: reading them takes half a minute."""
MOST = 50_000
"""Stored inputs of a file that are replayed together at most."""


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
    same: str = "get the same two labels"
    """What those of ``same_labels`` do, in words."""

    @property
    def complete(self) -> bool:
        """Whether every row was replayed as recorded."""
        return self.rows == self.same_input == self.same_labels


@dataclass(frozen=True, eq=False)
class Said:
    """Outputs of both networks for one input under a task."""

    definition: str
    """Of agreement."""
    original: dict[str, np.ndarray]
    """Name -> values, float32 (...)."""
    compressed: dict[str, np.ndarray]
    difference: float
    """In units of the tolerance."""


@dataclass(frozen=True, eq=False)
class Single:
    """One stored difference-inducing input, replayed."""

    number: int
    """Its number in the file, from 1."""
    of: int
    """Stored difference-inducing inputs of the file."""
    run_seed: int
    input: int
    """Number of the seed input."""
    true_label: int
    distortions: list[str]
    """Names of those that are switched on."""
    original: np.ndarray
    """Probabilities of the original, float64 (classes,)."""
    compressed: np.ndarray
    """Those of the compressed model."""
    classes: Sequence[str]
    complete: bool
    """Whether it is the recorded input, bit for bit, with the two recorded labels."""
    said: Said | None = None
    """Outputs, where the networks are compared under a task other than classification."""


def files_of(path: Path, made: Mapping[str, Any], loaded: Loaded = FROM_FILES) -> Files:
    """The files in its results folder that a records file was made from.

    Args:
        path: the records file.
        made: its settings.
        loaded: networks that are called instead; all that were functions then have to be among them.

    Raises:
        QuantriftError: a network that was a function is not given.
    """
    if missing := [role for role in made.get("functions", ()) if role not in loaded.roles]:
        named = ", ".join(f"{role}=..." for role in missing)
        raise QuantriftError(
            f"{path}: made of networks that were called from Python ({', '.join(missing)}), which no file holds; "
            f"replay it there: quantrift.api.replay(path, {named})"
        )
    runtimes = made.get("original_runtime", "litert"), made.get("compressed_runtime")
    return files_in(results_of(path), made["subject"], made["tool_settings"], runtimes[0], loaded, runtimes[1])


def replay(path: Path, loaded: Loaded = FROM_FILES) -> Replay:
    """Decode and run every stored vector of a records file again; ``loaded``: networks that are called instead.

    Raises:
        QuantriftError: if the file or the models beside it cannot be read.
    """
    rows = same_input = same_labels = 0
    difference = 0.0
    columns = ["input", "target", "label_original", "label_compressed", "fitness", "digest"]
    with GivenFiles() as given:
        inputs, ready, changed = _opened(path, given, loaded)
        path = given.file(path)
        _check_stored(path)
        with damage_named(path):
            for recorded, stored in table_files.holding(path, "vector", columns, ROWS):
                decoded = _decoded(ready, stored, inputs, recorded["input"])
                digests = np.array([digest(row) for row in decoded], np.uint64)
                outputs = replace(ready.networks(decoded), targets=recorded["target"].astype(np.int64))
                same = outputs.original.argmax(axis=1) == recorded["label_original"]
                same &= outputs.compressed.argmax(axis=1) == recorded["label_compressed"]
                rows += len(stored)
                same_input += int((digests == recorded["digest"]).sum())
                same_labels += int(same.sum())
                gap = np.abs(ready.tool.objective.score(outputs)[:, 0] - recorded["fitness"])
                difference = max(difference, float(gap.max()))
    found = Replay(rows, same_input, same_labels, difference, changed)
    return found if _compared(ready) is None else replace(found, same="differ as recorded")


def _decoded(ready: Evaluator, vectors: np.ndarray, inputs: Inputs, numbers: np.ndarray) -> np.ndarray:
    """Inputs, float32 (n, H, W, C), of stored vectors and the seed inputs with these numbers."""
    return ready.tool.space.decode(vectors.astype(np.float32), Originals.of(inputs, numbers), np.arange(len(vectors)))


def _check_stored(path: Path) -> None:
    """Refuse a file of so many stored inputs that running them would take hours, before any is run."""
    count = 0
    with damage_named(path):
        for _, vectors in table_files.holding(path, "vector", [], 4096):
            count += len(vectors)
            if count > MOST:
                raise QuantriftError(
                    f"{path}: holds more than {MOST:,} stored inputs; replay one with --number, or split the file"
                )


def single(path: Path, wanted: Sequence[int]) -> list[Single]:
    """Some stored vectors of a records file, by their numbers from 1, decoded and run again.

    Raises:
        QuantriftError: if the file or the models beside it cannot be read, or it has no such number.
    """
    columns = ["run_seed", "input", "true_label", "label_original", "label_compressed", "active", "digest"]
    found: dict[int, dict[str, Any]] = {}
    count = 0
    with GivenFiles() as given:
        inputs, ready, _ = _opened(path, given)
        path = given.file(path)
        distortions = settings(path)["distortions"]
        with damage_named(path):
            for recorded, stored in table_files.holding(path, "vector", columns, ROWS):
                for number in wanted:
                    if count < number <= count + len(stored):
                        place = number - count - 1
                        row = {name: recorded[name][place].item() for name in columns}
                        found[number] = row | {"vector": stored[place]}
                count += len(stored)
        if missing := [number for number in wanted if number not in found]:
            raise QuantriftError(f"{path}: has no number {missing[0]}; it holds {count} stored inputs, counted from 1")
        rows = [found[number] for number in wanted]
        if not rows:
            return []
        with damage_named(path):
            vectors = np.stack([row["vector"] for row in rows])
            decoded = _decoded(ready, vectors, inputs, np.array([row["input"] for row in rows]))
            outputs = ready.networks(decoded)
            said = _said(ready, decoded)
    both = softmax(outputs.original), softmax(outputs.compressed)
    return [
        Single(
            number,
            count,
            row["run_seed"],
            row["input"],
            row["true_label"],
            switched_on(distortions, row["active"]),
            ours,
            theirs,
            inputs.class_names,
            int(digest(one)) == row["digest"]
            and [int(ours.argmax()), int(theirs.argmax())] == [row["label_original"], row["label_compressed"]],
            outputs_of_both,
        )
        for number, row, one, ours, theirs, outputs_of_both in zip(wanted, rows, decoded, *both, said, strict=True)
    ]


def _compared(ready: Evaluator) -> ComparedNetwork | None:
    """The compressed network beside the original under a task, if they are compared under one."""
    compressed = getattr(ready.networks, "compressed", None)
    return compressed if isinstance(compressed, ComparedNetwork) else None


def _said(ready: Evaluator, inputs: np.ndarray) -> list[Said | None]:
    """Outputs for each input, float32 (n, H, W, C), under a task; ``None`` for each under classification."""
    network = _compared(ready)
    if network is None:
        return [None] * len(inputs)
    first, second, differences = network.outputs(inputs)
    return [
        Said(
            network.agreement.task.definition,
            {name: values[place] for name, values in first.items()},
            {name: values[place] for name, values in second.items()},
            float(one),
        )
        for place, one in enumerate(differences)
    ]


def _opened(path: Path, given: GivenFiles, loaded: Loaded = FROM_FILES) -> tuple[Inputs, Evaluator, list[str]]:
    """The inputs and the tool of a records file, and the files that changed since it was made, from copies of all."""
    made = settings(given.file(path))
    with damage_named(path):
        if (count := table_files.rows(given.file(path))) > MOST_ROWS:
            raise QuantriftError(f"{path}: has {count:,} rows, more than {MOST_ROWS:,}; split it into several files")
        files = files_of(path, made, loaded)
    if missing := [str(file) for file in files.present.values() if not file.is_file()]:
        raise QuantriftError(f"{path}: its models and inputs are needed too, missing: {', '.join(missing)}")
    copies: dict[str, Any] = {
        name: given.network(file) if name in ("original", "compressed") else given.file(file)
        for name, file in files.present.items()
    }
    files = replace(files, **copies)
    changed = [name for name, file in files.present.items() if file_digest(file) != made.get("sha256", {}).get(name)]
    inputs = Inputs.load(files.inputs)
    with damage_named(path):
        return inputs, evaluator(files, made["tool"], made["tool_settings"], inputs, ROWS), changed
