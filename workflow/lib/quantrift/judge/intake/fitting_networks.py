"""Checks of two networks from files: that they take and give the same, and that they were not exchanged."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from quantrift.core.base.errors import refuse
from quantrift.core.networks.foreign.onnx_graph import check_graph
from quantrift.core.networks.graphs.choices import plain
from quantrift.core.networks.graphs.ends import NamedInput
from quantrift.core.networks.graphs.input_sides import longer_sides
from quantrift.core.networks.libraries import library
from quantrift.core.networks.runtime import module, runtime_of
from quantrift.judge.intake.given_networks import Ready, check_decided


def check_fit(first: Ready, second: Ready) -> None:
    """Refuse two networks with different inputs or classes.

    Raises:
        QuantriftError: one line, with the difference.
    """
    one, other = first.network, second.network
    refuse(
        (
            one.signature.values is None and one.classes != other.classes,
            f"{second.given}: tells {other.classes} classes, {first.given.name} tells {one.classes}; "
            "name a compressed version of the same network",
        )
    )
    takes, wants = other.signature.image, one.signature.image
    if takes != wants:
        check_decided(second, f", while {first.given.name} takes {wants}")
    given, wanted = second.chosen.inputs[1:], first.chosen.inputs[1:]
    refuse(
        (
            takes != wants,
            f"{second.given}: takes inputs {takes}, {first.given.name} takes {wants}; "
            "name a compressed version of the same network",
        ),
        (
            [longer_sides(one.shape) for one in given] != [longer_sides(one.shape) for one in wanted],
            f"{second.given}: takes {_listed(given)} beside the input that is changed, {first.given.name} takes "
            f"{_listed(wanted)}; give two networks that take these alike",
        ),
    )


def _listed(inputs: Sequence[NamedInput]) -> str:
    return ", ".join(f"'{plain(one.name)}' {one.shape}" for one in inputs) or "nothing"


def check_not_swapped(first: Ready, second: Ready) -> str | None:
    """Refuse an original that is quantized beside a compressed network that is not; what to say if both are.

    Raises:
        QuantriftError: the two seem to be exchanged.
    """
    before, after = stored_in_8_bits(first.path), stored_in_8_bits(second.path)
    small = f"{100 * before:.0f} % of its numbers have 8 bits or less"
    refuse(
        (
            before > 0.5 > after,
            f"{first.given}: given as original, but {small}, against {100 * after:.0f} % in {second.given.name}; "
            "exchange --original and --compressed",
        )
    )
    return f"original: {small} themselves; differences are against that" if before > 0.5 else None


def stored_in_8_bits(path: Path) -> float:
    """Share of a file's numbers, biases of 32 bits aside, that have at most 8 bits; 0 where nobody can count them."""
    counted: list[tuple[bool, int]] = []
    if runtime_of(path) == "onnxruntime":
        types = library("onnx", "onnxruntime").TensorProto
        small = {types.INT8, types.UINT8, types.INT4, types.UINT4}
        counted = [
            (tensor.data_type in small, int(np.prod(tensor.dims, dtype=np.int64)))
            for tensor in check_graph(path).tensors.values()
            if tensor.data_type in small | {types.FLOAT, types.FLOAT16}
        ]
    elif runtime_of(path) == "litert":
        from quantrift.core.networks.operation_audit import BITS, audit

        counted = [(BITS[kind] <= 8, count) for kind, count in audit(path)["constants"].items()]
    elif hasattr(found := module(runtime_of(path)), "stored"):
        counted = found.stored(path)
    total = sum(count for _, count in counted)
    return sum(count for is_small, count in counted if is_small) / total if total else 0.0
