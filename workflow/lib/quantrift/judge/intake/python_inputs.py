"""Inputs and paths as Python programs give them: arrays, or the path of a .npz file."""

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path

import numpy as np

from quantrift.core.base.arrays import write_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.foreign.given_files import GivenFiles
from quantrift.judge.intake import given_inputs
from quantrift.judge.intake.fitted_inputs import fitted
from quantrift.judge.intake.given_networks import Ready
from quantrift.judge.intake.input_form import InputForm

Given = np.ndarray | Mapping[str, np.ndarray] | str | PathLike[str]
"""Inputs: an array, arrays by name for networks of several inputs, or the path of a .npz file."""


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
        arrays = {"inputs": inputs} if isinstance(inputs, np.ndarray) else dict(inputs)
        write_arrays(file, arrays | ({} if labels is None else {"labels": np.asarray(labels)}))
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
    if isinstance(inputs, np.ndarray):
        source, arrays = Path("inputs"), given_inputs.checked(Path("inputs"), ("inputs", inputs), truth)
    elif isinstance(inputs, Mapping):
        source, others = Path("inputs"), dict(inputs)
        if (name := form.change) is None or name not in others:
            raise QuantriftError(f"inputs: arrays {', '.join(others)}, and none of the input that form.change names")
        arrays = given_inputs.checked(source, (name, others.pop(name)), truth)
        arrays = replace(arrays, others=others)
    else:
        source = path_of(inputs, "inputs")
        with GivenFiles() as given:
            read = arrays = given_inputs.read(given.file(source), change=form.change)
        if truth is not None:
            arrays = given_inputs.checked(source, ("inputs", read.values), truth, read.class_names)
            arrays = replace(arrays, others=read.others)
    return fitted(arrays, source, networks[0], [networks[1]], form).inputs
