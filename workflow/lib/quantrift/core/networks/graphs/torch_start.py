"""The first operations of a network from a .pt2 file, its integers at the border, and its ending; runs nothing."""

from collections.abc import Callable, Iterator

import numpy as np

from quantrift.core.networks.graphs.exported_program import ExportedProgram, Node, Value
from quantrift.core.networks.graphs.first_operations import (
    Passes,
    Reads,
    Reshapes,
    Spatial,
    Start,
    Step,
    Transposes,
    linear,
    mean,
    start,
)
from quantrift.core.networks.graphs.signature import SIGMOID, SOFTMAX
from quantrift.core.networks.graphs.torch_operations import (
    ARITHMETIC,
    ELEMENTWISE,
    ROUNDING,
    SEQUENCES,
    SHAPES,
    SPATIAL,
    UNCHANGED,
    kind,
)

ENDINGS = {"softmax": SOFTMAX, "_softmax": SOFTMAX, "sigmoid": SIGMOID}
REPEATING = SHAPES | UNCHANGED | ROUNDING
"""Operations that say the same as their input, in another type or shape."""


class TorchStart:
    """Reads the beginning and the border of one graph."""

    def __init__(self, program: ExportedProgram, constant: Callable[[str], np.ndarray | None]) -> None:
        """``constant``: name of a weight -> its values; ``None`` for what is computed."""
        self._program, self._constant = program, constant
        self._takers: dict[str, list[Node]] = {}
        for node in program.nodes:
            for name in node.values:
                self._takers.setdefault(name, []).append(node)

    @property
    def changed(self) -> str:
        """Name of the only input, or of the one that searches change."""
        inputs = self._program.inputs
        return inputs[self._program.choices.changed(inputs)]

    def start(self, name: str) -> Start:
        """Properties implied by the first operations on the input ``name``."""
        return start(name, self._program.borders[name].sizes, self._steps)

    def integers_of_input(self, name: str) -> tuple[int, int, float, int] | None:
        """Least and greatest integer, scale and zero point that the input ``name`` is rounded to; ``None`` if it is
        not.
        """
        for node in self._takers.get(name, []):
            if kind(node) == "quantize_per_tensor":
                scale, zero, least, most = (node.argument(*one) for one in _GRID)
                if all(isinstance(one, int | float) for one in (scale, zero, least, most)):
                    return int(least), int(most), float(scale), int(zero)
        return None

    def ending(self, output: str) -> str | None:
        """The operation that decides an output, by its number in the schema of .tflite files, if it is of interest."""
        makers = {name: node for node in self._program.nodes for name in node.results if isinstance(name, str)}
        node = makers.get(output)
        while node is not None and kind(node) in REPEATING and node.values:
            node = makers.get(node.values[0])
        return None if node is None else ENDINGS.get(kind(node))

    def _steps(self, tensor: object, sizes: tuple[int, ...]) -> Iterator[Step]:
        for node in self._takers.get(str(tensor), []):
            if (step := self._step(node, str(tensor), sizes)) is not None:
                yield step

    def _step(self, node: Node, name: str, sizes: tuple[int, ...]) -> Step | None:
        what, rank = kind(node), len(sizes)
        if not node.results or not isinstance(node.results[0], str):
            return None
        result, taken = node.results[0], node.argument("self", 0) or node.argument("input", 0)
        first = isinstance(taken, Value) and taken.name == name
        if what in SPATIAL:
            return self._spatial(node, what, rank) if first else None
        if what in SEQUENCES:
            return Reads(what.upper(), "sequence")
        if what == "embedding":
            return Reads("embedding", "tokens")
        if what == "mean" and first:
            over = node.argument("dim", 1)
            return mean("mean", list(over), rank) if isinstance(over, list) else None
        if what == "permute" and first:
            return Transposes(result, tuple(axis % rank for axis in node.argument("dims", 1)))
        if what == "transpose" and first:
            axes = list(range(rank))
            one, other = (node.argument(f"dim{place}", place + 1) % rank for place in (0, 1))
            axes[one], axes[other] = axes[other], axes[one]
            return Transposes(result, tuple(axes))
        if what in SHAPES and first:
            return Reshapes(result, self._program.borders[result].sizes)
        if what in UNCHANGED | ROUNDING and first:
            return Passes(result, np.ones(1), np.zeros(1))
        if what in ARITHMETIC:
            return self._arithmetic(node, what, first, result)
        return Passes(result) if what in ELEMENTWISE else None

    def _arithmetic(self, node: Node, what: str, first: bool, result: str) -> Passes:
        other = node.argument("other", 1) if first else node.argument("self", 0)
        # A factor on the second operand, or a way of rounding, which no preprocessing has.
        if {"alpha", "rounding_mode"} & set(node.named):
            return Passes(result)
        if isinstance(other, int | float):
            value: np.ndarray | None = np.array(other, np.float64)
        else:
            value = self._constant(other.name) if isinstance(other, Value) else None
        return linear(result, ARITHMETIC[what], value, first)

    def _spatial(self, node: Node, what: str, rank: int) -> Spatial:
        slope = offset = None
        if what in ("batch_norm", "_native_batch_norm_legit_no_training"):
            values = [self._values(node.argument(name, place)) for name, place in _NORM]
            epsilon = node.argument("eps", 7 if what == "batch_norm" else 6)
            if all(one is not None for one in values) and isinstance(epsilon, float):
                scale, bias, average, variance = (np.ravel(one).astype(np.float64) for one in values if one is not None)
                slope = scale / np.sqrt(variance + epsilon)
                offset = bias - average * slope
        return Spatial(what, tuple(range(2, rank)), 1, slope, offset)

    def _values(self, argument: object) -> np.ndarray | None:
        return self._constant(argument.name) if isinstance(argument, Value) else None


_GRID = (("scale", 1), ("zero_point", 2), ("quant_min", 3), ("quant_max", 4))
_NORM = (("weight", 1), ("bias", 2), ("running_mean", 3), ("running_var", 4))
