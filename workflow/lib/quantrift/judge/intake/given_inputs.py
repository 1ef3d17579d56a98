"""Inputs, labels and values of other inputs from a user's file; unusable ones are refused in one line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base import archive
from quantrift.core.base.archive import Header
from quantrift.core.base.carried_rows import joined
from quantrift.core.base.errors import QuantriftError, nearest, refuse
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.graphs.choices import plain
from quantrift.core.networks.graphs.file_tensors import Tensor
from quantrift.core.networks.graphs.input_sides import longer_sides
from quantrift.core.networks.graphs.signature import Signature

INPUTS = ("inputs", "images", "x", "x_test", "X", "data")
LABELS = ("labels", "label", "y", "y_test", "Y", "targets")
NAMES = "class_names"
FEATURES = "feature_names"
EXACT = 2**24
"""Largest whole number up to which float32 has each."""


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
    none = "labels: none" if task else "labels: none; what the original says stands for the true class"
    stated, labels = labels, labels or next((name for name in LABELS if name in held), None)
    assumed += [] if stated else [f"labels: array '{labels}'" if labels else none]
    wanted = [(array, ""), *([(labels, " for the labels")] if labels else [])]
    refuse(*((name not in held, f"{path}: has no array '{name}'{use}; {nearest(name, held)}") for name, use in wanted))
    texts = [
        name
        for name in (NAMES, FEATURES)
        if name in held and (held[name].dtype.kind, len(held[name].shape)) == ("U", 1)
    ]
    # Arrays of numbers with a row for each of the inputs.
    rows = held[array].shape[:1]
    several = [
        name
        for name, one in held.items()
        if change is not None and one.dtype.kind in "buif" and one.shape[:1] == rows and name not in (array, labels)
    ]
    arrays = archive.read_arrays(path, {array, *([labels] if labels else []), *texts, *several})
    names = {one: [str(name) for name in arrays[one]] for one in texts}
    found = checked(
        path, (array, arrays[array]), (labels, arrays[labels]) if labels else None, names.get(NAMES), assumed, task
    )
    return replace(found, feature_names=names.get(FEATURES, []), others={name: arrays[name] for name in several})


def checked(
    path: Path,
    inputs: tuple[str, np.ndarray],
    labels: tuple[str, np.ndarray] | None = None,
    class_names: list[str] | None = None,
    assumed: Sequence[str] = (),
    task: bool = False,
) -> Arrays:
    """Check inputs and labels, each with its name.

    Args:
        path: where they come from, for messages.
        inputs: (n, ...) numbers.
        labels: (n,) or (n, 1) whole numbers from 0, or one-hot rows (n, K); with ``task``, true outputs (n, ...).
        class_names: names of the labels.
        assumed: assumptions made on them before.
        task: whether labels are true outputs of another task than classification.

    Raises:
        QuantriftError: they are no numbers, not finite, all the same, or do not belong together.
    """
    name, values = inputs
    refuse(
        (
            values.dtype.kind not in "uif",
            f"{path}: array '{name}' holds {values.dtype}, expected numbers; convert it",
        ),
        (
            values.ndim < 2 or not values.size,
            f"{path}: array '{name}' has shape {values.shape}, expected at least one image (n, H, W, C) or (n, H, W), "
            "signal (n, T, C) or (n, T), or row of a table (n, F)",
        ),
    )
    wrong = np.flatnonzero(~np.isfinite(values.reshape(len(values), -1)).all(axis=1)).tolist()
    refuse(
        (
            wrong,
            f"{path}: NaN or infinity in {len(wrong)} of {len(values)} inputs, first in number "
            f"{min(wrong, default=0)}; take them out",
        ),
        (
            values.min() == values.max(),
            f"{path}: all values of array '{name}' are {values.flat[0]:g}; name real inputs",
        ),
    )
    if labels is None:
        return Arrays(values, None, class_names, list(assumed))
    if task:
        own, truth = labels
        refuse(
            (
                truth.dtype.kind not in "buif" or not truth.ndim or len(truth) != len(values),
                f"{path}: array '{own}' holds {truth.dtype} {truth.shape}, expected numbers for each of {len(values)} "
                "inputs; name another with --labels, or leave it out of the file",
            )
        )
        return Arrays(values, None, class_names, list(assumed), truth=truth)
    one_hot = labels[1].ndim == 2 and labels[1].shape[1] > 1
    return Arrays(
        values,
        _labels(path, *labels, len(values)),
        class_names,
        [*assumed, *["labels: one-hot rows, of which the largest counts"] * one_hot],
    )


def _found(path: Path, arrays: Mapping[str, Header]) -> str:
    """The array of inputs: by its name, or the only one that can be inputs."""
    numbers = {name: len(array.shape) for name, array in arrays.items() if array.dtype.kind in "uif"}
    # Arrays of two axes may be tables, or one-hot labels.
    possible = (
        [name for name in INPUTS if name in arrays][:1]
        or [name for name, axes in numbers.items() if axes >= 3]
        or [name for name, axes in numbers.items() if axes == 2 and name not in LABELS]
    )
    if len(possible) == 1:
        return possible[0]
    problem = (
        f"several arrays could be the inputs ({_some(possible)})"
        if possible
        else f"no array '{INPUTS[0]}' among {_some(list(arrays))}"
    )
    raise QuantriftError(f"{path}: {problem}; say which with --array NAME")


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:6]) + (", ..." if len(names) > 6 else "") or "none at all"


def _labels(path: Path, name: str, given: np.ndarray, count: int) -> np.ndarray:
    """Labels, int64 (n,), of numbers (n,) or (n, 1), or of one-hot rows."""
    labels: Any = given
    if labels.ndim == 2:
        refuse(
            (
                labels.shape[1] > 1 and (labels.min() < 0 or not np.allclose(labels.sum(axis=1), 1, rtol=0, atol=0.01)),
                f"{path}: array '{name}' has shape {given.shape}, but its rows are no shares of classes; correct them, "
                "or say --task regress or --task multilabel: a regression is not compared by labels",
            )
        )
        labels = labels[:, 0] if labels.shape[1] == 1 else labels.argmax(axis=1)
    of_inputs = labels.ndim == 1 and len(labels) == count
    refuse(
        (
            not of_inputs,
            f"{path}: array '{name}' has shape {given.shape}, expected one label for each of {count} inputs",
        ),
        (
            of_inputs and (labels.dtype.kind not in "uif" or (labels != np.rint(labels)).any() or labels.min() < 0),
            f"{path}: array '{name}' holds labels that are no whole numbers from 0; correct them, or "
            "say --task regress: a regression is not compared by labels",
        ),
    )
    return labels.astype(np.int64)


def beside(arrays: Arrays, file: Path, carried: Sequence[Tensor]) -> dict[str, np.ndarray]:
    """Name, without what converters add, of each carried input -> its values, float32 (n, ...), in order.

    Args:
        arrays: the inputs that are changed, and what else the file holds.
        file: for messages.
        carried: the other inputs of the original.

    Raises:
        QuantriftError: an array is missing, or does not fit its input.
    """
    return {plain(one.name): _fitting(arrays, file, one) for one in carried}


def _fitting(arrays: Arrays, file: Path, one: Tensor) -> np.ndarray:
    name, held = plain(one.name), named(arrays.others, one.name)
    if held is None:
        raise QuantriftError(
            f"{file}: has no array '{name}' with a row for each of {len(arrays.values)} inputs, which go along with "
            f"them to the network's input of this name; add it, like numpy.savez(..., {name}=...)"
        )
    count = len(arrays.values)
    refuse(
        (
            held.dtype.kind not in "buif"
            or len(held) != count
            or longer_sides(held.shape[1:]) != longer_sides(one.shape),
            f"{file}: array '{name}' holds {held.dtype} {held.shape}, expected numbers {(count, *one.shape)}: a row "
            "for each input, as the original takes it",
        )
    )
    exact = held.astype(np.float64).reshape(count, *one.shape)
    refuse(
        (not np.isfinite(exact).all(), f"{file}: NaN or infinity in array '{name}'; take such inputs out"),
        (
            one.whole and ((exact != np.rint(exact)).any() or np.abs(exact).max() > EXACT),
            f"{file}: array '{name}' goes to an input of {np.dtype(one.dtype)}, so it has to hold whole numbers up to "
            f"{EXACT:,}; correct it",
        ),
    )
    return exact.astype(np.float32)


def rows_for(
    signature: Signature,
    changed: np.ndarray,
    others: Mapping[str, np.ndarray],
    source: object,
    names: Sequence[str] | None = None,
) -> np.ndarray:
    """Inputs as a network is called with them: float32 (n, H, W, C), or rows (n, 1, 1, L) where it has several inputs.

    Args:
        signature: of the network.
        changed: the inputs that are changed, float32 (n, H, W, C).
        others: name of each other input -> its values, (n, ...).
        source: where these come from, for messages.
        names: under which ``others`` has the inputs of a network that were matched to these, in their order; those of
            the network itself by default.

    Raises:
        QuantriftError: values of an input are missing, or of another size.
    """
    if not signature.carried:
        return changed
    parts = []
    for one, name in zip(signature.carried, names or signature.carried_shapes, strict=True):
        held = named(others, name)
        if held is None or held.size != len(changed) * one.size:
            raise QuantriftError(
                f"{source}: no values of shape {(len(changed), *one.shape)} for the input '{plain(name)}', which "
                "goes along with the one that is changed; give them under its name"
            )
        parts.append(held.reshape(len(changed), *one.shape))
    return joined(changed, parts)


def told_names(inputs: Inputs) -> dict[str, Any]:
    """Name of the changed input and of the others, as files state them; nothing where there is one input."""
    return {"changed": inputs.changed_input, "carried": list(inputs.carried)} if inputs.carried else {}


def named(arrays: Mapping[str, np.ndarray], name: str) -> np.ndarray | None:
    """The array for an input: of its name, or of its name without what converters add; ``None`` if there is none."""
    return arrays.get(name, {plain(one): values for one, values in arrays.items()}.get(plain(name)))
