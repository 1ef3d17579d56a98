"""Outputs that a device gave for the inputs of a bundle: read, checked, and brought to logits."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np
from numpy.lib import format as npy

from quantrift.core.base import archive
from quantrift.core.base.errors import QuantriftError, reading
from quantrift.core.networks.function import Values
from quantrift.core.networks.graphs.file_tensors import split
from quantrift.core.networks.graphs.signature import SMALLEST, two_classes
from quantrift.judge.verdict.bundle import Bundle
from quantrift.judge.verdict.bundled_task import BundledTask

RAW = (".bin", ".raw", ".f32")
"""Endings of files of little-endian float32 numbers and nothing else."""
NAME, BUNDLE = "outputs", "bundle"
"""Arrays of a .npz file: the outputs, and the digest of the bundle."""
NEAR = 1e-3
"""Distance of two outputs for one input, as a share of the range of all, below which order is not in doubt."""


@dataclass(frozen=True, eq=False)
class Outputs:
    """Outputs of one network on all rows of a bundle."""

    logits: np.ndarray
    """float32 (n, K); only their order within a row counts where nobody says what the numbers mean. Under a task, the
    values of all outputs side by side."""
    assumed: list[str]
    """What was noticed, one line each."""


def read(path: Path, bundle: Bundle, values: Values | None) -> Outputs:
    """Outputs of a device.

    Args:
        path: .npy; .npz with one array, or with one called ``outputs``; or raw float32. Under a task, .npz holds the
            outputs of the original by name, .npy a single one, and raw numbers stand side by side in their order.
        bundle: manifest of the bundle that was run.
        values: meaning of the numbers, if it is known; a task takes them as they are.

    Raises:
        QuantriftError: the file cannot be read, or does not hold one row of finite numbers for each input, in order.
    """
    if bundle.task is not None:
        return _values(path, bundle, bundle.task, values)
    found = _array(path, bundle)
    count, classes = bundle.shape[0], len(bundle.classes)
    if found.dtype.kind not in "fiu" or found.ndim != 2 or len(found) != count or not _fits(found, classes):
        raise QuantriftError(
            f"{path}: holds {found.dtype} {found.shape}, expected numbers ({count}, {classes}): a row of outputs for "
            "each input of the bundle, in order"
        )
    _check_finite(path, found)
    assumed = _repeated(path, found, bundle)
    if found.shape[1] == 1:
        if values is None:
            raise QuantriftError(
                f"{path}: has one output for two classes; say --values logits, whose sign tells them, or --values "
                "probabilities"
            )
        return Outputs(two_classes(found, values == "probabilities"), assumed)
    if values == "probabilities":
        if found.min() < 0 or not np.allclose(found.sum(axis=1, dtype=np.float64), 1, rtol=0, atol=0.01):
            raise QuantriftError(f"{path}: its rows are no probabilities, as --values says; say --values logits")
        shares = np.maximum(found.astype(np.float64), SMALLEST)
        return Outputs(np.log(shares / shares.max(axis=1, keepdims=True)).astype(np.float32), assumed)
    return Outputs(found.astype(np.float32), assumed)


def _values(path: Path, bundle: Bundle, task: BundledTask, values: Values | None) -> Outputs:
    """Values of all outputs side by side, float32 (n, K)."""
    if values is not None:
        raise QuantriftError(
            f"--values is {values}, but the task of the bundle takes outputs as they are; leave it out"
        )
    count = bundle.shape[0]
    if path.suffix == ".npz" and path.is_file():
        arrays = _arrays(path, bundle, [name for name in archive.headers(path) if name != BUNDLE])
    elif path.suffix in RAW and path.is_file():
        width = sum(map(prod, task.shapes))
        numbers = np.fromfile(path, "<f4")
        if numbers.size != count * width:
            raise QuantriftError(f"{path}: holds {numbers.size} numbers, expected {count} rows of {width}")
        arrays = split(numbers.reshape(count, width), task.outputs, task.shapes)
    elif len(task.outputs) > 1:
        raise QuantriftError(f"{path}: outputs are {', '.join(task.outputs)}; write them by name into a .npz file")
    else:
        arrays = {task.outputs[0]: _array(path, bundle)}
    found = task.joined(arrays, count, path)
    _check_finite(path, found)
    return Outputs(found, _repeated(path, found, bundle))


def _check_finite(path: Path, found: np.ndarray) -> None:
    wrong = np.flatnonzero(~np.isfinite(found).all(axis=1))
    if len(wrong):
        raise QuantriftError(
            f"{path}: NaN or infinity in {len(wrong)} of {len(found)} rows, first in row {wrong[0]}; run the "
            "bundle again"
        )


def _fits(found: np.ndarray, classes: int) -> bool:
    return found.shape[1] == classes or (classes == 2 and found.shape[1] == 1)


def _array(path: Path, bundle: Bundle) -> np.ndarray:
    if not path.is_file():
        raise QuantriftError(f"{path}: no such file; name the outputs of the device")
    if path.suffix == ".npz":
        return _of_archive(path, bundle)
    if path.suffix in RAW:
        numbers = np.fromfile(path, "<f4")
        classes = len(bundle.classes)
        return numbers.reshape(-1, classes) if len(numbers) % classes == 0 else numbers
    if path.suffix != ".npy":
        raise QuantriftError(f"{path}: outputs are read from .npy, .npz or, as raw float32, {', '.join(RAW)}")
    with reading(path, "not a .npy file of numbers", "write it with numpy.save"), path.open("rb") as stream:
        array: np.ndarray = npy.read_array(stream, allow_pickle=False)
    return array


def _of_archive(path: Path, bundle: Bundle) -> np.ndarray:
    held = archive.headers(path)
    names = [name for name in held if name != BUNDLE]
    known = next((name for name in (NAME, *bundle.compared) if name in held), None)
    if known is None and len(names) != 1:
        raise QuantriftError(f"{path}: no array '{NAME}' among {', '.join(names) or 'none'}; name it so")
    name = known or names[0]
    return _arrays(path, bundle, [name])[name]


def _arrays(path: Path, bundle: Bundle, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Arrays of an archive whose digest of a bundle, where it holds one, is that of this one."""
    own = [BUNDLE] if BUNDLE in archive.headers(path) else []
    arrays = archive.read(path, [*names, *own])
    if own and str(arrays[BUNDLE]) != bundle.bundle:
        raise QuantriftError(f"{path}: made of another bundle ({str(arrays[BUNDLE])[:12]}...); run this one")
    return {name: arrays[name] for name in names}


def _repeated(path: Path, found: np.ndarray, bundle: Bundle) -> list[str]:
    """Compare rows that are the same input."""
    rows, others = np.array(bundle.repeats, np.int64).reshape(-1, 2).T
    gaps = np.abs(found[rows].astype(np.float64) - found[others].astype(np.float64)).max(axis=1, initial=0)
    differing = int((gaps > 0).sum())
    moved = gaps > NEAR * float(np.ptp(found.astype(np.float64)))
    if bundle.task is None:
        moved |= found[rows].argmax(axis=1) != found[others].argmax(axis=1)
    if moved.any():
        place = int(np.flatnonzero(moved)[0])
        raise QuantriftError(
            f"{path}: equal inputs get different outputs in {int(moved.sum())} of {len(rows)} places, first in rows "
            f"{rows[place]} and {others[place]}: rows are in another order than the inputs, or the device is not "
            "deterministic; run the bundle again, in order"
        )
    if differing:
        return [f"{path.name}: {differing} of {len(rows)} repeated inputs get outputs that differ in the last digits"]
    return []
