"""File of networks that have a given number of bits for each weight, stored as numbers of levels."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from quantrift.core.base.archive import write_arrays
from quantrift.core.networks import architecture
from quantrift.core.settings.networks import Network, Networks
from quantrift.study.compression.bits.rounding import Bits, half_steps
from quantrift.study.compression.published_form import kernels

MOST = 16
"""Bits up to which a weight is stored as the number of its level; kernels with more are stored in float."""
Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Form:
    """What all networks of a file are: a network under some settings, for inputs of a shape."""

    model: str
    """Id of the network."""
    settings: dict[str, Any]
    """Its settings (``quantrift.core.settings.networks``), training aside."""
    shape: tuple[int, int, int]
    """Of an input: rows, columns, channels."""
    classes: int

    @staticmethod
    def of(model: str, settings: Network, shape: tuple[int, int, int], classes: int) -> "Form":
        """The form of networks of these settings."""
        return Form(model, settings.model_dump(mode="json", exclude={"training", "per_dataset"}), shape, classes)

    def build(self) -> keras.Model:
        """An untrained network of this form."""
        settings = type(Networks().trained[self.model]).model_validate(self.settings)
        return architecture.load(self.model).build(settings, self.shape, self.classes)


def packed(network: keras.Model, bits: Sequence[Bits]) -> dict[str, NDArray[Any]]:
    """Arrays for the weights of ``network``, whose kernels have been rounded to ``bits``; also the bits themselves.

    Of weight number i of ``network.weights``, ``i`` is the weight itself, in float32. Of a kernel, ``i.bits`` has the
    bits, of each weight or of all; and if none has more than 16, ``i.levels`` in place of ``i`` the numbers of its
    levels, from 0. A kernel that became NaN in training has no levels, and stays ``i``.
    """
    of_kernel = {id(kernel): own for kernel, own in zip(kernels(network), bits, strict=True)}
    arrays: dict[str, NDArray[Any]] = {}
    for number, weight in enumerate(network.weights):
        value = keras.ops.convert_to_numpy(weight)
        own = of_kernel.get(id(weight))
        if own is not None:
            arrays[f"{number}.bits"] = own if np.ptp(own) else own.ravel()[0]
        if own is None or own.max() > MOST or not np.isfinite(value).all():
            arrays[f"{number}"] = value
        else:
            levels = np.rint((value.astype(np.float64) + 1) * half_steps(own))
            arrays[f"{number}.levels"] = levels.astype(np.uint8 if own.max() <= 8 else np.uint16)
    return arrays


def unpack(network: keras.Model, arrays: Arrays, prefix: str = "") -> None:
    """Give ``network`` the weights that ``packed`` made arrays of, which are in ``arrays`` under ``prefix`` + name."""
    for number, weight in enumerate(network.weights):
        name = f"{prefix}{number}"
        if name in arrays:
            weight.assign(arrays[name])
        else:
            half = half_steps(arrays[f"{name}.bits"]).astype(np.float32)
            # The last steps of Equation 3.1 as training takes them, in float32.
            weight.assign(arrays[f"{name}.levels"].astype(np.float32) / half - np.float32(1))


def write(path: Path, form: Form, found: Mapping[tuple[str, int], Arrays], **more: Any) -> None:
    """Write a file (.npz) of networks of one form: (setting, repetition) -> what ``packed`` made of the network.

    ``more`` is what else is known of all of them, for people.
    """
    arrays = {_prefix(*key) + name: array for key, own in found.items() for name, array in own.items()}
    about = json.dumps({"form": vars(form), "networks": list(found)} | more)
    write_arrays(path, {"about": about, **arrays})


def restored(path: Path) -> Iterator[tuple[str, int, keras.Model]]:
    """(setting, repetition, network from inputs in the unit of the data to logits) of each network of a file, in order.

    It is the same model each time, with other weights, so that what was compiled for one serves them all; be done with
    one before asking for the next.
    """
    with np.load(path, allow_pickle=False) as arrays:
        about = json.loads(arrays["about"].item())
        network = Form(**about["form"] | {"shape": tuple(about["form"]["shape"])}).build()
        for setting, repetition in about["networks"]:
            unpack(network, arrays, _prefix(setting, repetition))
            yield setting, repetition, network


def _prefix(setting: str, repetition: int) -> str:
    return f"{setting}/{repetition}/"
