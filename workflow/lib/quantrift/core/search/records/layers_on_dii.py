"""Layer errors of a compressed model on stored difference-inducing inputs and on their seed inputs."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from quantrift.core.base.files import read_json, replacing, write_json
from quantrift.core.base.streams import stream
from quantrift.core.networks.layer_comparison import BATCH, COLUMNS, LayerError, layer_errors, of_entry, row
from quantrift.core.search.records.dii import Found, load
from quantrift.core.search.records.stored_vectors import Stored

SIDES = ("seed_inputs", "dii")
"""Inputs that layers are compared on: seed inputs, each as often as its distorted inputs, and the distorted inputs."""


def compare(
    files: Sequence[Path], original: Path, compressed: Path, count: int, seed: int
) -> dict[str, list[LayerError]]:
    """Layer errors on each of ``SIDES``, over the same number of inputs; empty lists where nothing is stored.

    Args:
        files: candidates tables of one tool on one subject, in a results folder that holds the inputs too.
        original: .tflite or .onnx file of the original.
        compressed: file of the compressed model, of the same kind.
        count: difference-inducing inputs, drawn from those that a distortion caused; all where there are fewer.
        seed: of the draw.

    Raises:
        QuantriftError: if a file cannot be read.
    """
    found = load(files)
    key = (*(str(name) for name in found.settings["subject"].values()), found.settings["tool"])
    order = stream("dii_layers", *key, seed).permutation(len(found.rows))[:count]
    chosen = found.rows.take(np.sort(order))
    if not len(chosen):
        return {side: [] for side in SIDES}
    return {
        side: layer_errors(original, compressed, _batches(found, chosen, place)) for place, side in enumerate(SIDES)
    }


def _batches(found: Found, chosen: Stored, side: int) -> Iterator[np.ndarray]:
    for start in range(0, len(chosen), BATCH):
        yield found.pairs(chosen.take(np.arange(start, min(start + BATCH, len(chosen)))))[side]


def write(errors: Mapping[str, Sequence[LayerError]], out: Path) -> None:
    """Write ``out`` (.json) and a .csv beside it, one row a side and layer; ``None`` is null, or empty."""
    write_json(out, {side: [asdict(error) for error in found] for side, found in errors.items()})
    with replacing(out.with_suffix(".csv")) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        rows = csv.DictWriter(file, ["on", *COLUMNS], lineterminator="\n")
        rows.writeheader()
        rows.writerows({"on": side} | row(error) for side, found in errors.items() for error in found)


def read(path: Path) -> dict[str, list[LayerError]]:
    """Read a .json file that ``write`` made."""
    stored: Mapping[str, Sequence[Mapping]] = read_json(path)
    return {side: [of_entry(entry) for entry in stored[side]] for side in SIDES}
