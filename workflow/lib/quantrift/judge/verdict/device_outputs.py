"""Outputs that a device gave for the inputs of a bundle: read, checked, and brought to logits."""

from collections.abc import Sequence
from math import prod
from pathlib import Path

import numpy as np
from numpy.lib import format as npy

from quantrift.core.base import archive
from quantrift.core.base.errors import QuantriftError, reading, refuse
from quantrift.core.networks.function import Values
from quantrift.core.networks.graphs.file_tensors import split
from quantrift.core.networks.graphs.signature import SMALLEST, two_classes
from quantrift.judge.verdict.bundle import Bundle
from quantrift.judge.verdict.under_task import BundledTask

RAW = (".bin", ".raw", ".f32")
"""Endings of files of little-endian float32 numbers and nothing else."""
NAME, BUNDLE = "outputs", "bundle"
"""Arrays of a .npz file: the outputs, and the digest of the bundle."""
NEAR = 1e-3
"""Distance of two outputs for one input, as a share of the range of all, below which order is not in doubt."""


def read(path: Path, bundle: Bundle, values: Values | None) -> tuple[np.ndarray, list[str]]:
    """Outputs of a device on all rows of a bundle.

    Args:
        path: .npy; .npz with one array, or with one called ``outputs``; or raw float32. Under a task, .npz holds the
            outputs of the original by name, .npy a single one, and raw numbers stand side by side in their order.
        bundle: manifest of the bundle that was run.
        values: meaning of the numbers, if it is known; a task takes them as they are.

    Returns:
        Logits, float32 (n, K), of which only their order within a row counts where nobody says what the numbers mean;
        under a task, the values of all outputs side by side. And what was noticed, one line each.

    Raises:
        QuantriftError: the file cannot be read, or does not hold one row of finite numbers for each input, in order.
    """
    if bundle.task is not None:
        return _values(path, bundle, bundle.task, values)
    found = _array(path, bundle)
    count, classes = bundle.shape[0], len(bundle.classes)
    widths = (classes, 1) if classes == 2 else (classes,)
    refuse(
        (
            found.dtype.kind not in "fiu" or found.ndim != 2 or len(found) != count or found.shape[1] not in widths,
            f"{path}: holds {found.dtype} {found.shape}, expected numbers ({count}, {classes}): a row of outputs for "
            "each input of the bundle, in order",
        )
    )
    assumed = _noticed(path, found, bundle)
    if found.shape[1] == 1:
        refuse(
            (
                values is None,
                f"{path}: has one output for two classes; say --values logits, whose sign tells them, or --values "
                "probabilities",
            )
        )
        return two_classes(found, values == "probabilities"), assumed
    if values == "probabilities":
        sums = found.sum(axis=1, dtype=np.float64)
        refuse(
            (
                found.min() < 0 or not np.allclose(sums, 1, rtol=0, atol=0.01),
                f"{path}: its rows are no probabilities, as --values says; say --values logits",
            )
        )
        shares = np.maximum(found.astype(np.float64), SMALLEST)
        return np.log(shares / shares.max(axis=1, keepdims=True)).astype(np.float32), assumed
    return found.astype(np.float32), assumed


def _values(path: Path, bundle: Bundle, task: BundledTask, values: Values | None) -> tuple[np.ndarray, list[str]]:
    """Likewise under a task."""
    refuse(
        (
            values is not None,
            f"--values is {values}, but the task of the bundle takes outputs as they are; leave it out",
        )
    )
    count, width = bundle.shape[0], sum(map(prod, task.shapes))
    if path.suffix == ".npz" and path.is_file():
        arrays = _arrays(path, bundle, [name for name in archive.headers(path) if name != BUNDLE])
    elif path.suffix in RAW and path.is_file():
        numbers = np.fromfile(path, "<f4")
        refuse(
            (
                numbers.size != count * width,
                f"{path}: holds {numbers.size} numbers, expected {count} rows of {width}",
            )
        )
        arrays = split(numbers.reshape(count, width), task.outputs, task.shapes)
    else:
        refuse(
            (
                len(task.outputs) > 1,
                f"{path}: outputs are {', '.join(task.outputs)}; write them by name into a .npz file",
            )
        )
        arrays = {task.outputs[0]: _array(path, bundle)}
    found = task.joined(arrays, count, path)
    return found, _noticed(path, found, bundle)


def _array(path: Path, bundle: Bundle) -> np.ndarray:
    refuse((not path.is_file(), f"{path}: no such file; name the outputs of the device"))
    if path.suffix == ".npz":
        held = archive.headers(path)
        names = [name for name in held if name != BUNDLE]
        known = [name for name in (NAME, *bundle.compared) if name in held][:1] or names
        refuse((len(known) != 1, f"{path}: no array '{NAME}' among {', '.join(names) or 'none'}; name it so"))
        return _arrays(path, bundle, known)[known[0]]
    if path.suffix in RAW:
        numbers, classes = np.fromfile(path, "<f4"), len(bundle.classes)
        return numbers.reshape(-1, classes) if len(numbers) % classes == 0 else numbers
    refuse((path.suffix != ".npy", f"{path}: outputs are read from .npy, .npz or, as raw float32, {', '.join(RAW)}"))
    with reading(path, "not a .npy file of numbers", "write it with numpy.save"), path.open("rb") as stream:
        return np.asarray(npy.read_array(stream, allow_pickle=False))


def _arrays(path: Path, bundle: Bundle, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Arrays of an archive whose digest of a bundle, where it holds one, is that of this one."""
    arrays = archive.read_arrays(path, [name for name in archive.headers(path) if name in (*names, BUNDLE)])
    made_of = str(arrays.pop(BUNDLE, bundle.bundle))
    refuse((made_of != bundle.bundle, f"{path}: made of another bundle ({made_of[:12]}...); run this one"))
    return arrays


def _noticed(path: Path, found: np.ndarray, bundle: Bundle) -> list[str]:
    """Refuse what is not finite, and rows of one input that differ; a line where they hardly do."""
    if len(wrong := np.flatnonzero(~np.isfinite(found).all(axis=1))):
        raise QuantriftError(
            f"{path}: NaN or infinity in {len(wrong)} of {len(found)} rows, first in row {wrong[0]}; run the "
            "bundle again"
        )
    rows, others = np.array(bundle.repeats, np.int64).reshape(-1, 2).T
    gaps = np.abs(found[rows].astype(np.float64) - found[others].astype(np.float64)).max(axis=1, initial=0)
    moved = gaps > NEAR * float(np.ptp(found.astype(np.float64)))
    if bundle.task is None:
        moved |= found[rows].argmax(axis=1) != found[others].argmax(axis=1)
    if moved.any():
        raise QuantriftError(
            f"{path}: equal inputs get different outputs in {int(moved.sum())} of {len(rows)} places, first in rows "
            f"{rows[moved][0]} and {others[moved][0]}: rows are in another order than the inputs, or the device is not "
            "deterministic; run the bundle again, in order"
        )
    count = int((gaps > 0).sum())
    line = f"{path.name}: {count} of {len(rows)} repeated inputs get outputs that differ in the last digits"
    return [line] if count else []
