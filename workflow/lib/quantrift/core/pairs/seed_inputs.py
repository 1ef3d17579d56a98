"""Seed inputs: the test inputs from which the searches of each run seed start."""

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.base.files import write_csv
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.seed_blocks import Block
from quantrift.core.base.streams import stream
from quantrift.core.networks.batches import Runtime
from quantrift.core.networks.evaluate import labels, logits


def pool(inputs: Inputs, original: Runtime, correct: bool = True) -> np.ndarray:
    """Test inputs that may be drawn: their numbers, int64, ascending.

    Args:
        inputs: of the network.
        original: the network.
        correct: only those that it classifies correctly (DiverGet §5.2).
    """
    if not correct:
        return inputs.test
    return inputs.test[labels(logits(original, inputs, inputs.test)) == inputs.labels[inputs.test]]


def alike(
    inputs: Inputs, candidates: np.ndarray, original: Runtime, compressed: Iterable[Runtime], correct: bool = True
) -> np.ndarray:
    """Inputs to which all compressed models give the label of the original, int64, in order.

    Args:
        inputs: of the network.
        candidates: those of ``pool``.
        original: the network.
        compressed: its compressed models.
        correct: as ``pool`` was given it. Labels of the original are the true ones then, and it is not run again.
    """
    kept, said = candidates, inputs.labels[candidates] if correct else None
    for one in compressed:
        if said is None:
            said = labels(logits(original, inputs, kept))
        same = labels(logits(one, inputs, kept)) == said
        kept, said = kept[same], said[same]
    return kept


def by_class(inputs: Inputs, numbers: np.ndarray) -> dict[str, np.ndarray]:
    """Name of each class that has a test input -> those of some inputs that belong to it."""
    present = np.unique(inputs.labels[inputs.test]).tolist()
    return {inputs.class_names[label]: numbers[inputs.labels[numbers] == label] for label in present}


def draw(
    candidates: np.ndarray,
    dataset: str,
    model: str,
    run_seeds: int,
    inputs: int,
    overlap: bool,
    skip: int = 0,
    among: Mapping[str, np.ndarray] | None = None,
) -> np.ndarray:
    """Seed inputs of each run seed, int64 (run_seeds, inputs).

    The draw depends on dataset and network, never on tool or compression, so that comparisons of those are paired.
    Without ``overlap`` no input serves two run seeds. ``skip`` inputs from the front of the order in which all are
    drawn are passed over; with ``overlap`` there is no such order, and nothing is.

    Args:
        candidates: the pool, which alone decides on the order.
        dataset: id, part of the key of the random stream.
        model: likewise.
        run_seeds: number of rows.
        inputs: number of columns.
        overlap: draw each row by itself.
        skip: see above.
        among: name of a class -> those of the pool that serve, equally many of each class, which stand side by side;
            by default all of the pool.

    Raises:
        QuantriftError: if there are too few, or classes that do not share the inputs equally.
    """
    groups = {"": candidates} if among is None else among
    refuse(
        (
            inputs % len(groups),
            f"{dataset}/{model}: {inputs} seed inputs cannot be drawn equally over {len(groups)} classes; "
            "change inputs, or set per_class: false",
        ),
    )
    orders = (
        [stream("seeds", dataset, model, seed).permutation(candidates) for seed in range(run_seeds)]
        if overlap
        else [stream("seeds", dataset, model).permutation(candidates)[skip:]]
    )
    rows, each, drawn = run_seeds // len(orders), inputs // len(groups), []
    for order in orders:
        parts = {name: order[np.isin(order, group)][: rows * each] for name, group in groups.items()}
        refuse(
            *(
                (
                    len(part) < rows * each,
                    f"{dataset}/{model}: {rows * each} seed inputs wanted ({rows} run seeds x {each})"
                    f"{f' beside {skip} that are skipped' if skip else ''}{f' of class {name}' if name else ''}, but "
                    f"only {len(groups[name])} test inputs meet `correct` and `agree`; lower run_seeds or inputs"
                    f"{', or skip' if skip else ''}{'' if overlap or skip else ', or set overlap: true'}",
                )
                for name, part in parts.items()
            )
        )
        drawn.append(np.concatenate([part.reshape(rows, each) for part in parts.values()], axis=1))
    return np.concatenate(drawn)


def write(path: Path, seeds: np.ndarray, inputs: Inputs) -> None:
    """The list as CSV: run_seed, input, true_label."""
    every = ((run_seed, index) for run_seed, chosen in enumerate(seeds) for index in chosen.tolist())
    rows = ([run_seed, index, inputs.labels[index]] for run_seed, index in every)
    write_csv(path, ["run_seed", "input", "true_label"], rows)


def read(path: Path, block: Block) -> list[tuple[int, int]]:
    """(run seed, input) of a block, in the order they were drawn.

    Raises:
        QuantriftError: if the file holds no inputs for one of them.
    """
    with path.open(newline="") as file:
        found = [(int(row["run_seed"]), int(row["input"])) for row in csv.DictReader(file)]
    if missing := set(block.run_seeds) - {run_seed for run_seed, _ in found}:
        raise QuantriftError(f"{path}: no inputs for run seeds {sorted(missing)}; delete the file and run again")
    chosen = [(run_seed, index) for run_seed, index in found if run_seed in block.run_seeds]
    return chosen if block.inputs is None else chosen[block.inputs.start : block.inputs.stop]
