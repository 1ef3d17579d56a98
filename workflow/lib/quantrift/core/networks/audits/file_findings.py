"""Faults that a network's file shows without an input: one line each, with what to do."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

import numpy as np

from quantrift.core.base.errors import printable
from quantrift.core.networks.audits.contents import ROUNDING, Contents, Held, Step
from quantrift.core.networks.layer_values.beyond_float16 import LIMIT

FEW = 8
"""Steps of a grid below which hardly more than the sign is left of a channel or tensor."""
BRANCH = 16
"""Likewise of a branch of a network, whose values are told apart."""
SHARE = 1 / 8
"""Share of the channels of a layer that may have so few steps: some units hardly do anything in good networks."""
TOLERANCE = 0.01
"""Relative difference from the product of two scales that rounding to float32 does not reach."""
NORMAL = float(np.finfo(np.float16).smallest_normal)
"""Least number that float16 holds with all its bits."""
CONCATENATIONS = {"CONCATENATION", "Concat", "QLinearConcat"}
BOUNDED = {
    **dict.fromkeys(("LOGISTIC", "SOFTMAX", "Sigmoid", "Softmax", "HardSigmoid", "QLinearSigmoid"), 1.0),
    **dict.fromkeys(("TANH", "Tanh"), 2.0),
}
"""Operation -> difference of the ends of its range."""
MOVING = ROUNDING | {
    *("AVERAGE_POOL_2D", "MAX_POOL_2D", "MEAN", "PAD", "RELU", "RELU6", "RESHAPE", "SQUEEZE", "TRANSPOSE"),
    *("AveragePool", "Clip", "Flatten", "GlobalAveragePool", "MaxPool", "Pad", "Relu", "Reshape", "Squeeze"),
    *("QLinearAveragePool", "QLinearGlobalAveragePool", "Transpose", "Unsqueeze"),
}
"""Operations whose results lie within the range of what they read, 0 included."""
NORMALISING = {
    "BatchNormalization": ("BatchNormalization",),
    "ADD": ("ADD", "MUL"),
    "Add": ("Add", "Mul"),
    "QLinearAdd": ("QLinearAdd", "QLinearMul"),
}
"""Last operation of a batch normalisation -> all of them, from the last to the first."""


class Finding(NamedTuple):
    """A fault."""

    rule: str
    """One of ``RULES``."""
    layer: str
    """Name of the tensor in question, as the file has it: of a result, of weights or of another constant."""
    text: str
    """Description and remedy, one line."""


Found = Iterable[tuple[str, str]]
"""Layers and texts."""


def findings(contents: Contents) -> list[Finding]:
    """All faults of a file by their kinds, each kind in the order of the operations."""
    return [Finding(rule, *map(printable, one)) for rule, (_, _, look) in RULES.items() for one in look(contents)]


def _in_float(contents: Contents) -> Found:
    whole = sum(step.macs for step in contents.steps)
    quantized = any(step.macs and step.int8 for step in contents.steps)
    return (
        (
            step.output.name,
            f"{step.kind} multiplies {types}, {100 * step.macs / whole:.1f} % of all multiply-accumulates, while "
            "others run in 8 bits; quantize it too, or replace it by operations that have an 8-bit kernel",
        )
        for step in contents.steps
        for types in [" x ".join(one.type for one in step.inputs[:2])]
        if quantized and step.macs and not step.int8 and "FLOAT" in types
    )


def _shared_scale(contents: Contents) -> Found:
    return (
        (
            step.output.name,
            f"{step.kind} has one scale for all branches, of which '{one.name}' spans {_about(steps)}; give the "
            "branches outputs of their own, or scale them alike before they are joined",
        )
        for step in contents.steps
        if step.kind in CONCATENATIONS
        for one in step.inputs
        for steps in [_spanned(contents, one, contents.rounded(step.output))]
        if one.numbers is None and steps < BRANCH
    )


def _coarse_result(contents: Contents) -> Found:
    return (
        (
            grid.name,
            f"the scale {grid.scales[0]:.3g} of the result of {step.kind} is too large: whatever is read, the result "
            f"spans {_about(steps)}; calibrate it again",
        )
        for step in contents.steps
        for grid in [contents.rounded(step.output)]
        if grid.ends and (steps := _reach(step) / grid.scales[0]) < FEW
        # Of branches it is said where they are joined.
        if not any(one.kind in CONCATENATIONS for one in contents.readers.get(id(grid), []))
    )


def _coarse_weights(contents: Contents) -> Found:
    return (
        (
            step.inputs[1].name,
            f"the weights of {step.kind} have one scale for all channels, of which {few.sum()} of {few.size} use fewer "
            f"than {FEW} of 256 steps; quantize them channel by channel",
        )
        for step in contents.steps
        for used in [step.used]
        # A channel of zeros is one that the network does without.
        for few in [(used > 0) & (2 * used + 1 < FEW)]
        if len(step.inputs) > 1 and len(step.inputs[1].scales) == 1
        if few.sum() > (0 if step.depthwise else SHARE * few.size)
    )


def _normalisation(contents: Contents) -> Iterator[tuple[str, str]]:
    for last in contents.steps:
        layer: Step | None = last
        for kind in NORMALISING.get(last.kind, ()):
            layer = contents.only_source(layer) if layer is not None and layer.kind == kind else None
        # In float, runtimes fold it when they load the file.
        if (
            layer not in (None, last)
            and layer.channels is not None
            and layer.inputs[1].scales.size
            and not layer.activated
        ):
            yield (
                last.output.name,
                f"a batch normalisation behind {layer.kind} '{layer.output.name}' is left, and is rounded by itself; "
                "fold it into the weights before the network is quantized",
            )


def _not_finite(contents: Contents) -> Found:
    return (
        (one.name, f"{(~finite).sum():,} of {finite.size:,} stored numbers are NaN or infinite; export it again")
        for one, values in contents.floats
        for finite in [np.isfinite(values)]
        # A mask is made of 0 and infinity.
        if np.isnan(values).any() or (not finite.all() and values[finite].any() == finite.any())
    )


def _beyond_float16(contents: Contents) -> Iterator[tuple[str, str]]:
    integers = any(step.int8 for step in contents.steps)
    for one, values in contents.floats:
        size = np.abs(np.where(np.isfinite(values), values, 0).astype(np.float64))
        small = (size > 0) & (size < NORMAL)
        if size.max() > LIMIT and not integers:
            yield one.name, f"stored numbers reach {size.max():,.4g}, beyond the {LIMIT:,.0f} of float16; {KEEP}"
        if one.type == "FLOAT16" and 2 * small.sum() > np.count_nonzero(size):
            yield one.name, f"{small.sum():,} of {size.size:,} numbers are so small that float16 loses bits; {KEEP}"


KEEP = "scale the layer, or keep it in float32"


def _wrong_scale(contents: Contents) -> Found:
    every = {id(one): one for step in contents.steps for one in (*step.inputs, step.output)}
    return (
        (one.name, f"{wrong.sum()} of {wrong.size} scales are 0, negative or not finite; calibrate it again")
        for one in every.values()
        for wrong in [~np.isfinite(one.scales) | (one.scales <= 0)]
        if wrong.any()
    )


def _bias_scale(contents: Contents) -> Iterator[tuple[str, str]]:
    for step in contents.steps:
        if (bias := step.bias) is not None and len(bias.scales) and len(step.inputs[0].scales) == 1:
            product = step.inputs[0].scales * step.inputs[1].scales
            off = (np.abs(bias.scales - product) > TOLERANCE * np.abs(product)) | bias.zeros.any()
            if off.any():
                yield (
                    bias.name,
                    f"{step.kind} needs a bias with zero point 0 and the scale of its input times that of its weights; "
                    f"{off.sum()} of {off.size} channels differ; convert it again",
                )


def _two_grids(contents: Contents) -> Found:
    return (
        (
            written.name,
            f"it is written with scale {written.scales[0]:.6g} and zero point {written.zeros[0]}, and read with "
            f"{read.scales[0]:.6g} and {read.zeros[0]}; convert it again",
        )
        for written, read in contents.misread
    )


def _spanned(contents: Contents, tensor: Held, grid: Held) -> float:
    """Most steps of a grid that a tensor can span, as far as the file tells."""
    path = [*contents.back(tensor, MOVING)]
    ends = [one.ends[1] - one.ends[0] for one, _ in path if one.ends]
    bounds = [min(BOUNDED.get(maker.kind, np.inf), _reach(maker)) for _, maker in path if maker is not None]
    return float(min(ends + bounds) / grid.scales[0]) if ends + bounds and grid.ends else np.inf


def _reach(step: Step) -> float:
    """Difference of the ends of all that an operation with weights can give; infinite if unknown."""
    ends, weights = (
        step.inputs[0].ends if step.inputs else None,
        step.inputs[1].real if step.channels is not None else None,
    )
    added = np.zeros(1) if step.bias is None else step.bias.real
    if ends is None or weights is None or added is None:
        return np.inf
    products = np.stack([step.by_channel(weights) * end for end in (min(ends[0], 0), max(ends[1], 0))])
    low, high = (side(products, axis=0).sum(axis=1) + np.ravel(added) for side in (np.min, np.max))
    return float(max(high.max(), 0) - min(low.min(), 0))


def _about(steps: float) -> str:
    return f"at most {int(np.ceil(steps))} of its steps"


RULES: Mapping[str, tuple[Literal["error", "warning"], str, Callable[[Contents], Found]]] = {
    "float-operation": ("warning", "An operation is left in float in a file that is quantized otherwise.", _in_float),
    "shared-scale": ("warning", "Branches of different range share one scale.", _shared_scale),
    "coarse-result": ("error", "The scale of a result leaves it hardly any steps.", _coarse_result),
    "coarse-weights": ("warning", "One scale of all weights leaves channels hardly any steps.", _coarse_weights),
    "batch-normalisation": ("warning", "A batch normalisation is not folded into quantized weights.", _normalisation),
    "not-finite": ("error", "Stored numbers are NaN or infinite.", _not_finite),
    "float16-range": ("warning", "Stored numbers are beyond what float16 holds.", _beyond_float16),
    "scale": ("error", "A scale is 0, negative or not finite.", _wrong_scale),
    "bias-scale": ("error", "The scale of a bias is not the product of those of input and weights.", _bias_scale),
    "two-grids": ("error", "A tensor is written on one grid and read on another.", _two_grids),
}
"""Rule -> its level in SARIF (an error computes other numbers than it should; a warning is a loss of precision, or of
speed), its description, and what finds it."""
