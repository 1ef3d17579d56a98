"""Networks and inputs as Python objects: paths, bytes, Keras models, loaded networks, functions and arrays."""

import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base.archive import write_arrays
from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.foreign.given_files import GivenFiles
from quantrift.core.networks.function import Meaning
from quantrift.core.networks.graphs.file_tensors import split
from quantrift.core.networks.graphs.input_sides import Kind
from quantrift.judge.intake import given_inputs
from quantrift.judge.intake.fitted_inputs import fitted
from quantrift.judge.intake.given_functions import SIDES, Function
from quantrift.judge.intake.given_inputs import Arrays
from quantrift.judge.intake.given_networks import Ready
from quantrift.judge.intake.input_form import InputForm

Network = str | PathLike[str] | bytes | Function | Callable[..., Any]
"""A network as ``quantrift.api`` takes it; a Keras model and a loaded network can be called, too."""
Given = np.ndarray | Mapping[str, np.ndarray] | str | PathLike[str]
"""Inputs: an array, arrays by name for networks of several inputs, or the path of a .npz file."""
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

    def file(given: Network, role: str) -> Path:
        found = of_object(given, role, folder, Said("logits"))
        if isinstance(found, Function):
            raise QuantriftError(f"{role} is a function, {why}; give its file")
        return found

    return file(original, "original"), file(compressed, "compressed")


def of_object(given: object, role: str, folder: Path, said: Said) -> Path | Function:
    """A network as a file or a function.

    Args:
        given: path, bytes of a .tflite, .onnx, .pt2 or .pte file, Keras model, loaded network (a ``Runtime`` of
            ``quantrift.core.networks.batches``), ``Function``, or anything else that can be called.
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
        path = _free(folder, role, next(marked, ".onnx"))
        path.write_bytes(given)
        return path
    # Keras is loaded already where there is a model of it.
    if isinstance(given, getattr(sys.modules.get("keras"), "Model", ())):
        refuse(
            (
                role != "original",
                f"{role} is a Keras model, and Keras files are originals; convert it, or give it as a function: "
                "quantrift.api.Function(model, outputs='logits')",
            )
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
    kind: Kind = getattr(signature, "kind", "image")
    values = getattr(signature, "values", None)

    def run(inputs: np.ndarray) -> object:
        found = network(inputs.reshape(len(inputs), *image))
        return found if values is None else split(found, values.names, values.shapes)

    return Function(run, "logits" if values is None else "values", image[-len(SIDES[kind]) :], name=name, kind=kind)


def _free(folder: Path, role: str, suffix: str) -> Path:
    """A path in a folder of its own, as files of one role may be several and a converted one has its name too."""
    return Path(tempfile.mkdtemp(prefix="given-", dir=folder)) / f"{role}{suffix}"


def path_of(given: object, name: str) -> Path:
    """The path that an argument called ``name`` states.

    Raises:
        TypeError: it is something else.
    """
    if isinstance(given, str | PathLike):
        return Path(given)
    raise TypeError(f"{name} is of type {type(given).__name__}; give the path of a file")


def file_of(inputs: Given, labels: np.ndarray | None, folder: Path) -> Path:
    """Inputs, (n, ...), and true labels, (n,), as a .npz file; of arrays, one that is written to ``folder``.

    Raises:
        TypeError: labels were given beside a file, or the inputs are neither.
    """
    if isinstance(inputs, np.ndarray | Mapping):
        file = folder / "inputs.npz"
        write_arrays(
            file,
            ({"inputs": inputs} if isinstance(inputs, np.ndarray) else dict(inputs))
            | ({} if labels is None else {"labels": np.asarray(labels)}),
        )
        return file
    if labels is not None:
        raise TypeError("labels go with inputs given as an array; for a .npz file, put them into the file")
    return path_of(inputs, "inputs")


def inputs_of(
    inputs: Given,
    labels: np.ndarray | None,
    networks: tuple[Ready, Ready],
    form: InputForm,
) -> Inputs:
    """The inputs as searches take them.

    Args:
        inputs: (n, ...) as the original takes them, or a .npz file; of networks with several inputs arrays by name.
        labels: true ones, (n,), in place of those of the file.
        networks: original and compressed.
        form: how inputs are meant, as far as files do not tell.

    Raises:
        QuantriftError: they do not fit the networks.
        TypeError: they are neither an array nor a path.
    """
    truth = None if labels is None else ("labels", np.asarray(labels))
    source, name = Path("inputs"), "inputs"
    if isinstance(inputs, np.ndarray | Mapping):
        held = {name: inputs} if isinstance(inputs, np.ndarray) else inputs
        name = name if isinstance(inputs, np.ndarray) else form.change or ""
        refuse((name not in held, f"inputs: arrays {', '.join(held)}, and none of the input that form.change names"))
        given = Arrays(held[name], None, None, others={other: held[other] for other in held if other != name})
    else:
        source = path_of(inputs, "inputs")
        with GivenFiles() as files:
            given = given_inputs.read(files.file(source), change=form.change)
        if truth is None:
            return fitted(given, source, networks[0], [networks[1]], form).inputs
    checked = given_inputs.checked(source, (name, given.values), truth, given.class_names)
    return fitted(replace(checked, others=given.others), source, networks[0], [networks[1]], form).inputs
