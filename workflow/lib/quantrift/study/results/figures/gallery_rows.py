"""Choice of the stored difference-inducing inputs that a gallery shows, and numbers behind them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from quantrift.core.base.streams import stream
from quantrift.core.search.records.dii import Found
from quantrift.core.search.records.replaying import single
from quantrift.core.search.records.stored_vectors import ORDER, Stored, numbers

COLUMNS = (
    *("shown", "group", "input", "true_class", "label_original", "label_compressed", "psnr", "generation"),
    *("distortions", "command", "class", "p_original", "p_compressed"),
)
"""``shown`` counts inputs from 1; there is a row for each of them and each class."""


def choose(rows: Stored, number: int, spread: Literal["class", "generation"], key: Sequence[str | int]) -> Stored:
    """Choose at most ``number`` rows, no two of the same seed input.

    Args:
        rows: rows to choose from.
        number: rows wanted.
        spread: ``class``: one of each class of the seed inputs in turn, in the order of labels. ``generation``: the
            earliest stored of each seed input, at even distances in the order of generations; one alone the middle.
        key: of the random stream that decides among equals.
    """
    order = stream("gallery", *key).permutation(len(rows))
    if spread == "generation":
        # Stable: equal generations stay in the random order.
        order = order[np.argsort(rows.generation[order], kind="stable")]
    _, first = np.unique(rows.input[order], return_index=True)
    order = order[np.sort(first)]
    if spread == "generation":
        ends = (0, len(order) - 1) if number > 1 else ((len(order) - 1) // 2,) * 2
        return rows.take(order[np.linspace(*ends, min(number, len(order))).round().astype(int)])
    labels = rows.true_label[order]
    turn = np.array([int((labels[:place] == label).sum()) for place, label in enumerate(labels)], int)
    return rows.take(order[np.lexsort((labels, turn))][:number])


def details(group: str, files: Sequence[Path], found: Found, chosen: Stored, first: int) -> Iterator[dict[str, Any]]:
    """Rows of ``COLUMNS`` on the inputs that one group of a gallery shows.

    Args:
        group: heading of the group.
        files: candidates tables of its blocks.
        found: what they hold.
        chosen: rows that are shown.
        first: number of the first of them in the gallery.

    Raises:
        QuantriftError: if a file, or a network that it was made with, cannot be read.
    """
    known = {key: (file, number) for file in files for key, number in numbers(file).items()}
    places = [known[tuple(int(getattr(chosen, name)[place]) for name in ORDER)] for place in range(len(chosen))]
    replayed = {
        (file, one.number): one
        for file in dict.fromkeys(file for file, _ in places)
        for one in single(file, [number for of, number in places if of == file])
    }
    classes: Sequence[str] = found.inputs.class_names
    for place, (file, number) in enumerate(places):
        one = replayed[file, number]
        about = {
            "shown": first + place,
            "group": group,
            "input": one.input,
            "true_class": classes[one.true_label],
            "label_original": classes[chosen.label_original[place]],
            "label_compressed": classes[chosen.label_compressed[place]],
            "psnr": float(chosen.psnr[place]),
            "generation": int(chosen.generation[place]) + 1,
            "distortions": ", ".join(name.replace("_", " ") for name in one.distortions),
            "command": f"quantrift replay --number {number} {shlex.quote(str(file))}",
        }
        for name, ours, theirs in zip(classes, one.original, one.compressed, strict=True):
            yield about | {"class": name, "p_original": ours, "p_compressed": theirs}
