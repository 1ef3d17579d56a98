"""Inputs and labels from a user's file; unusable ones are refused in one line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base import archive
from quantrift.core.base.archive import Header
from quantrift.core.base.errors import QuantriftError, nearest

INPUTS = ("inputs", "images", "x", "x_test", "X", "data")
LABELS = ("labels", "label", "y", "y_test", "Y", "targets")
NAMES = "class_names"
FEATURES = "feature_names"


@dataclass(frozen=True, eq=False)
class Arrays:
    """Inputs and labels of a file."""

    values: np.ndarray
    """The inputs, of any shape and type, at least one, finite."""
    labels: np.ndarray | None
    """int64 (n,), from 0; None where there are none."""
    class_names: list[str] | None
    assumed: list[str] = field(default_factory=list)
    """Assumptions, one line each."""
    feature_names: list[str] = field(default_factory=list)
    """Name of each feature of a table, or channel of signals; empty where there are none."""
    truth: np.ndarray | None = None
    """True outputs of a task in place of labels, numbers (n, ...), as they were given."""
    others: Mapping[str, np.ndarray] = field(default_factory=dict)
    """Other arrays (n, ...) by name, for networks of several inputs; none where these were not asked for."""


def read(
    path: Path, array: str | None = None, labels: str | None = None, task: bool = False, change: str | None = None
) -> Arrays:
    """Inputs, and labels if there are any, of a .npz file.

    Args:
        path: the file.
        array: name of the array of inputs; found out where it is not given.
        labels: name of the array of labels, likewise.
        task: whether labels are true outputs of another task than classification.
        change: name of the input that searches change, of a network with several: an array of this name holds the
            inputs, and the others are read too.

    Raises:
        QuantriftError: for a file that is missing, empty, damaged or of another kind, a name that it does not hold,
            several arrays that could be the inputs, and values that are no numbers.
    """
    held = archive.headers(path)
    assumed = []
    if array is None:
        array = change if change is not None and change in held else _found(path, held)
        assumed.append(f"inputs: array '{array}' of {path.name}")
    elif array not in held:
        raise QuantriftError(f"{path}: has no array '{array}'; {nearest(array, held)}")
    if labels is None:
        labels = next((name for name in LABELS if name in held), None)
        none = "labels: none" if task else "labels: none; what the original says stands for the true class"
        assumed.append(f"labels: array '{labels}'" if labels else none)
    elif labels not in held:
        raise QuantriftError(f"{path}: has no array '{labels}' for the labels; {nearest(labels, held)}")
    texts = {name for name, header in held.items() if header.dtype.kind == "U" and len(header.shape) == 1}
    named = [name for name in (NAMES, FEATURES) if name in texts]
    several = [] if change is None else [name for name, one in held.items() if _beside(one, held[array])]
    arrays = archive.read(path, {array, *([labels] if labels else []), *named, *several})
    names = {one: [str(name) for name in arrays[one]] for one in named}
    truth = None if labels is None else (labels, arrays[labels])
    if task:
        found = checked(path, (array, arrays[array]), None, names.get(NAMES), assumed)
        if truth is not None:
            found = replace(found, truth=_true_outputs(path, *truth, len(found.values)))
    else:
        found = checked(path, (array, arrays[array]), truth, names.get(NAMES), assumed)
    others = {name: arrays[name] for name in several if name not in (array, labels)}
    return replace(found, feature_names=names.get(FEATURES, []), others=others)


def checked(
    path: Path,
    inputs: tuple[str, np.ndarray],
    labels: tuple[str, np.ndarray] | None = None,
    class_names: list[str] | None = None,
    assumed: Sequence[str] = (),
) -> Arrays:
    """Check inputs and labels, each with its name.

    Args:
        path: where they come from, for messages.
        inputs: (n, ...) numbers.
        labels: (n,) or (n, 1) whole numbers from 0, or one-hot rows (n, K).
        class_names: names of the labels.
        assumed: assumptions made on them before.

    Raises:
        QuantriftError: they are no numbers, not finite, all the same, or do not belong together.
    """
    name, values = inputs
    _check(path, name, values)
    said = list(assumed)
    truth = None if labels is None else _labels(path, *labels, len(values))
    if labels is not None and labels[1].ndim == 2 and labels[1].shape[1] > 1:
        said.append("labels: one-hot rows, of which the largest counts")
    return Arrays(values, truth, class_names, said)


def _beside(one: Header, inputs: Header) -> bool:
    """Whether an array holds numbers, a row for each of the inputs."""
    return one.dtype.kind in "buif" and one.shape[:1] == inputs.shape[:1]


def _found(path: Path, arrays: dict[str, Header]) -> str:
    """The array of inputs: by its name, or the only one that can be inputs."""
    for name in INPUTS:
        if name in arrays:
            return name
    numbers = {name: len(array.shape) for name, array in arrays.items() if array.dtype.kind in "uif"}
    # Arrays of two axes may be tables, or one-hot labels.
    possible = [name for name, axes in numbers.items() if axes >= 3] or [
        name for name, axes in numbers.items() if axes == 2 and name not in LABELS
    ]
    if len(possible) == 1:
        return possible[0]
    if possible:
        raise QuantriftError(
            f"{path}: several arrays could be the inputs ({_some(possible)}); say which with --array NAME"
        )
    raise QuantriftError(f"{path}: no array '{INPUTS[0]}' among {_some(list(arrays))}; say which with --array NAME")


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:6]) + (", ..." if len(names) > 6 else "") if names else "none at all"


def _check(path: Path, name: str, values: np.ndarray) -> None:
    if values.dtype.kind not in "uif":
        raise QuantriftError(f"{path}: array '{name}' holds {values.dtype}, expected numbers; convert it")
    if values.ndim < 2 or not values.size:
        raise QuantriftError(
            f"{path}: array '{name}' has shape {values.shape}, expected at least one image (n, H, W, C) or (n, H, W), "
            "signal (n, T, C) or (n, T), or row of a table (n, F)"
        )
    if values.dtype.kind == "f":
        wrong = ~np.isfinite(values.reshape(len(values), -1)).all(axis=1)
        if wrong.any():
            raise QuantriftError(
                f"{path}: NaN or infinity in {int(wrong.sum())} of {len(values)} inputs, first in number "
                f"{int(np.flatnonzero(wrong)[0])}; take them out"
            )
    if values.min() == values.max():
        raise QuantriftError(f"{path}: all values of array '{name}' are {values.flat[0]:g}; name real inputs")


def _true_outputs(path: Path, name: str, given: np.ndarray, count: int) -> np.ndarray:
    if given.dtype.kind not in "buif" or not given.ndim or len(given) != count:
        raise QuantriftError(
            f"{path}: array '{name}' holds {given.dtype} {given.shape}, expected numbers for each of {count} inputs; "
            "name another with --labels, or leave it out of the file"
        )
    return given


def _labels(path: Path, name: str, given: np.ndarray, count: int) -> np.ndarray:
    """Labels, int64 (n,), of numbers (n,) or (n, 1), or of one-hot rows."""
    labels: Any = given
    if labels.ndim == 2:
        if labels.shape[1] > 1 and (labels.min() < 0 or not np.allclose(labels.sum(axis=1), 1, rtol=0, atol=0.01)):
            raise QuantriftError(
                f"{path}: array '{name}' has shape {given.shape}, but its rows are no shares of classes; correct them, "
                "or say --task regress or --task multilabel: a regression is not compared by labels"
            )
        labels = labels[:, 0] if labels.shape[1] == 1 else labels.argmax(axis=1)
    if labels.ndim != 1 or len(labels) != count:
        raise QuantriftError(
            f"{path}: array '{name}' has shape {given.shape}, expected one label for each of {count} inputs"
        )
    if labels.dtype.kind not in "uif" or (labels != np.rint(labels)).any() or labels.min() < 0:
        raise QuantriftError(
            f"{path}: array '{name}' holds labels that are no whole numbers from 0; correct them, or "
            "say --task regress: a regression is not compared by labels"
        )
    found: np.ndarray = labels.astype(np.int64)
    return found
