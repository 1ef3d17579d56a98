"""Networks as Python objects: paths, bytes of a file, Keras models, loaded networks and functions."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.function import Meaning
from quantrift.core.networks.graphs.input_sides import Kind
from quantrift.core.networks.graphs.output_values import split
from quantrift.judge.intake.given_functions import Function

Network = str | PathLike[str] | bytes | Function | Callable[..., Any]
"""A network as ``quantrift.api`` takes it; a Keras model and a loaded network can be called, too."""
MARKS = {".tflite": (4, b"TFL3"), ".pte": (4, b"ET1"), ".pt2": (0, b"PK")}
"""Ending of a network's file -> a place, and the bytes that stand there; files of ONNX have no mark."""


@dataclass(frozen=True)
class Said:
    """Meaning of functions that are given as they are."""

    outputs: Meaning | None = None
    """Meaning of their outputs."""
    input_shape: tuple[int, ...] | None = None
    """(H, W, C), (T, C) of a signal or (F,) of a row; ``None`` where the given inputs tell it."""


def both_files(original: Network, compressed: Network, folder: Path, why: str) -> tuple[Path, Path]:
    """Files of two networks; of objects, ones that are written to ``folder``.

    Raises:
        QuantriftError: one is a function; ``why`` says why there must be a file.
        TypeError: as ``of_object`` does.
    """
    said = Said("logits")
    first, second = of_object(original, "original", folder, said), of_object(compressed, "compressed", folder, said)
    if isinstance(first, Function) or isinstance(second, Function):
        role = "original" if isinstance(first, Function) else "compressed"
        raise QuantriftError(f"{role} is a function, {why}; give its file")
    return first, second


def of_object(given: object, role: str, folder: Path, said: Said) -> Path | Function:
    """A network as a file or a function.

    Args:
        given: path, bytes of a .tflite, .onnx, .pt2 or .pte file, Keras model, loaded network (a ``Runtime`` of
            ``quantrift.core.networks.runtime_protocol``), ``Function``, or anything else that can be called.
        role: ``original`` or ``compressed``, for messages and names of files.
        folder: where files are written for what has none.
        said: meaning of what can be called.

    Raises:
        QuantriftError: it is a function, and nobody says what its outputs are; or a Keras model that is compressed.
        TypeError: it is something else.
    """
    if isinstance(given, Function):
        return given
    if isinstance(given, str | PathLike):
        return Path(given)
    if isinstance(given, bytes):
        marked = (suffix for suffix, (place, mark) in MARKS.items() if given[place:].startswith(mark))
        return _written(folder, role, next(marked, ".onnx"), given)
    if _is_keras(given):
        if role != "original":
            raise QuantriftError(
                f"{role} is a Keras model, and Keras files are originals; convert it, or give it as a function: "
                "quantrift.api.Function(model, outputs='logits')"
            )
        path = _free(folder, role, ".keras")
        given.save(path)  # type: ignore[attr-defined]
        return path
    if not callable(given):
        raise TypeError(f"{role} is of type {type(given).__name__}; give the path of a file, its bytes, or a function")
    if hasattr(given, "classes") and hasattr(given, "input_shape"):
        return _of_loaded(given, f"{role} {type(given).__name__}")
    if said.outputs is None:
        raise QuantriftError(
            f"{role} is a function, and nothing tells what its outputs are; say outputs='logits' or "
            "outputs='probabilities', or, for a task, outputs='values'"
        )
    return Function(given, said.outputs, said.input_shape)


def _of_loaded(network: Any, name: str) -> Function:
    """A loaded network, which takes every input as (H, W, C)."""
    image: tuple[int, int, int] = tuple(network.input_shape)
    signature = getattr(network, "signature", None)
    kind: Kind = "image" if signature is None else signature.kind
    values = None if signature is None else signature.values

    def run(inputs: np.ndarray) -> object:
        found = network(inputs.reshape(len(inputs), *image))
        return found if values is None else split(found, values.names, values.shapes)

    shape = image if kind == "image" else image[1:] if kind == "signal" else image[2:]
    return Function(run, "logits" if values is None else "values", shape, name=name, kind=kind)


def _is_keras(given: object) -> bool:
    """Whether it is a Keras model; Keras is loaded already where there is one."""
    keras = sys.modules.get("keras")
    return keras is not None and isinstance(given, keras.Model)


def _written(folder: Path, role: str, suffix: str, content: bytes) -> Path:
    path = _free(folder, role, suffix)
    path.write_bytes(content)
    return path


def _free(folder: Path, role: str, suffix: str) -> Path:
    """A path in a folder of its own, as files of one role may be several and a converted one has its name too."""
    number = next(count for count in range(1, 10**6) if not (folder / f"given{count}").exists())
    (folder / f"given{number}").mkdir(parents=True)
    return folder / f"given{number}" / f"{role}{suffix}"
