"""Values of the inputs that are carried along, from the arrays of the same file that have their names."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base.carried_rows import joined
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import CarriedStack, Inputs
from quantrift.core.networks.graphs.carried_inputs import CarriedInput
from quantrift.core.networks.graphs.choices import plain
from quantrift.core.networks.graphs.input_sides import longer_sides
from quantrift.core.networks.graphs.signature import Signature
from quantrift.judge.intake.given_inputs import Arrays

EXACT = 2**24
"""Largest whole number up to which float32 has each."""


def beside(arrays: Arrays, file: Path, carried: Sequence[CarriedInput]) -> dict[str, np.ndarray]:
    """Name, without what converters add, of each carried input -> its values, float32 (n, ...), in order.

    Args:
        arrays: the inputs that are changed, and what else the file holds.
        file: for messages.
        carried: the other inputs of the original.

    Raises:
        QuantriftError: an array is missing, or does not fit its input.
    """
    return {plain(one.name): _fitting(arrays, file, one) for one in carried}


def _fitting(arrays: Arrays, file: Path, one: CarriedInput) -> np.ndarray:
    name = plain(one.name)
    held = named(arrays.others, one.name)
    if held is None:
        raise QuantriftError(
            f"{file}: has no array '{name}' with a row for each of {len(arrays.values)} inputs, which go along with "
            f"them to the network's input of this name; add it, like numpy.savez(..., {name}=...)"
        )
    count, own = len(arrays.values), longer_sides(one.shape)
    if held.dtype.kind not in "buif" or len(held) != count or longer_sides(held.shape[1:]) != own:
        raise QuantriftError(
            f"{file}: array '{name}' holds {held.dtype} {held.shape}, expected numbers {(count, *one.shape)}: a row "
            "for each input, as the original takes it"
        )
    exact = held.astype(np.float64).reshape(count, *one.shape)
    if not np.isfinite(exact).all():
        raise QuantriftError(f"{file}: NaN or infinity in array '{name}'; take such inputs out")
    if one.whole and ((exact != np.rint(exact)).any() or np.abs(exact).max() > EXACT):
        raise QuantriftError(
            f"{file}: array '{name}' goes to an input of {one.dtype}, so it has to hold whole numbers up to {EXACT:,}; "
            "correct it"
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
    return {"changed": inputs.name, "carried": list(inputs.others)} if isinstance(inputs, CarriedStack) else {}


def named(arrays: Mapping[str, np.ndarray], name: str) -> np.ndarray | None:
    """The array for an input: of its name, or of its name without what converters add; ``None`` if there is none."""
    return arrays.get(name, {plain(one): values for one, values in arrays.items()}.get(plain(name)))
