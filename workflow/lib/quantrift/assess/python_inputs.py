"""Inputs and paths as Python programs give them: arrays, or the path of a .npz file."""

from os import PathLike
from pathlib import Path

import numpy as np

from quantrift.assess import given_inputs
from quantrift.assess.fitted_inputs import fitted
from quantrift.assess.given_networks import Ready
from quantrift.assess.input_form import InputForm
from quantrift.data.arrays import write_arrays
from quantrift.data.inputs import Inputs


def path_of(given: object, name: str) -> Path:
    """The path that an argument called ``name`` states.

    Raises:
        TypeError: it is something else.
    """
    if isinstance(given, str | PathLike):
        return Path(given)
    raise TypeError(f"{name} is of type {type(given).__name__}; give the path of a file")


def file_of(inputs: np.ndarray | str | PathLike[str], labels: np.ndarray | None, folder: Path) -> Path:
    """Inputs, (n, ...), and true labels, (n,), as a .npz file; of arrays, one that is written to ``folder``.

    Raises:
        TypeError: labels were given beside a file, or the inputs are neither.
    """
    if isinstance(inputs, np.ndarray):
        file = folder / "inputs.npz"
        write_arrays(file, {"inputs": inputs} | ({} if labels is None else {"labels": np.asarray(labels)}))
        return file
    if labels is not None:
        raise TypeError("labels go with inputs given as an array; for a .npz file, put them into the file")
    return path_of(inputs, "inputs")


def inputs_of(
    inputs: np.ndarray | str | PathLike[str],
    labels: np.ndarray | None,
    networks: tuple[Ready, Ready],
    form: InputForm,
) -> Inputs:
    """The inputs as searches take them.

    Args:
        inputs: (n, ...) as the original takes them, or a .npz file.
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
    else:
        source = path_of(inputs, "inputs")
        arrays = given_inputs.read(source)
        if truth is not None:
            arrays = given_inputs.checked(source, ("inputs", arrays.values), truth, arrays.class_names)
    return fitted(arrays, source, networks[0], [networks[1]], form).inputs
