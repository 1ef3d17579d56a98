"""Inference with PyTorch, on one thread: networks in .pt2 files, as ``torch.export.save`` writes them.

The graph in the file is read as data (``core.networks.graphs.exported_program``), and its operations are called one
after the other, so that nothing in the file is run.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base.errors import refuse
from quantrift.core.networks.batches import Batches, rows_of
from quantrift.core.networks.graphs.ends import Ends, NamedInput
from quantrift.core.networks.graphs.exported_program import (
    Border,
    Coded,
    ExportedProgram,
    Node,
    Value,
    read_program,
)
from quantrift.core.networks.graphs.signature import described, signature
from quantrift.core.networks.graphs.torch_operations import (
    ATEN,
    DECOMPOSED,
    PYTHON,
    TorchGraph,
    check_operations,
    in_place,
    is_check,
)
from quantrift.core.networks.libraries import library

SUFFIXES = (".pt2",)
PACKAGES = ("torch",)
ORIGINAL, COMPRESSED = "original.pt2", "model.pt2"
TOGETHER = 16
"""Inputs in each run of a network whose batch is open. The last bits of a result depend on this number, so it is always
the same, filled up: more cost time where one input is asked for, fewer where many are."""
BYTES, FLOAT = {1, 2}, 7
"""Numbers of 8-bit integers and of float32 in the format."""
HALVES = (6, 8, 13)
"""Numbers of float16, float64 and bfloat16, which are given and taken as float32."""
TYPES = {1: np.uint8, 2: np.int8, 3: np.int16, 4: np.int32, 5: np.int64, 7: np.float32, 12: np.bool_}
TORCH_TYPES = {
    1: "uint8",
    2: "int8",
    3: "int16",
    4: "int32",
    5: "int64",
    6: "float16",
    7: "float32",
    8: "float64",
    12: "bool",
    13: "bfloat16",
}
"""Number of a type in the format -> its name in PyTorch."""
MEMORY_FORMATS = {1: "contiguous_format", 2: "channels_last", 3: "channels_last_3d", 4: "preserve_format"}


class Torch(Batches):
    """A network in a .pt2 file, from images to logits.

    Images go in with their channels where the first operation that is defined on channels has them, like a convolution.
    Results for an input were the same bits beside whatever others; a file for one batch size runs on that, filled up.
    """

    def __init__(self, path: str | Path, batch: int = 256, values: bool = False) -> None:
        """Loads ``path``; ``batch`` changes nothing, as results would change with it.

        With ``values`` it gives the values of all its outputs side by side, in place of logits.

        Raises:
            QuantriftError: if PyTorch is not installed; if the file is missing, damaged, no network from images to
                logits, or asks for an operation that is not known to compute only.
        """
        path = Path(path)
        self._torch, self._values = library("torch", "torch"), values
        program = read_program(path)
        check_operations(path, program)
        self._torch.set_num_threads(1)
        self._weights = {name: self._tensor(weight) for name, weight in program.weights.items()}
        self._describe(path, program)
        together = self.signature.rows or rows_of(self.signature.row, TOGETHER)
        super().__init__(path, self.signature.row, self.signature.classes, together, together)

    def _describe(self, path: Path, program: ExportedProgram) -> None:
        """Find out what the network takes and gives, and the operations that it calls."""
        refuse(
            (
                not program.inputs or any(name not in program.borders for name in (*program.inputs, *program.outputs)),
                f"{path}: takes or gives something else than tensors; export it without",
            ),
        )
        self._outputs, borders = program.outputs, program.borders
        inputs = [_details(borders[name], name, place) for place, name in enumerate(program.inputs)]
        titled = enumerate(zip(self._outputs, program.titles, strict=True))
        outputs = [_details(borders[name], title, place) for place, (name, title) in titled]
        graph = TorchGraph(program, lambda name: _array(self._weights[name]) if name in self._weights else None)
        self._inputs = {name: borders[name].type for name in program.inputs}
        self._steps = [self._step(path, node) for node in program.nodes if not is_check(node)]
        self._last = _last_uses(program)
        self.signature = signature(path, inputs, outputs, graph, program.choices, self._values, self._shapes)
        given = [program.inputs[one.index] for one in self.signature.inputs]
        self._inputs = {name: borders[name].type for name in given}

    def _shapes(self, values: list[np.ndarray]) -> list[tuple[int, ...]]:
        """Shapes of all outputs for values of all inputs."""
        return [tuple(one.shape) for one in map(self._ran(values).__getitem__, self._outputs)]

    def _run(self, rows: np.ndarray) -> np.ndarray:
        found = self._ran(self.signature.fed(rows))
        return self.signature.result(lambda place: _array(found[self._outputs[place]]), len(rows))

    def _ran(self, values: Sequence[np.ndarray]) -> dict[str, Any]:
        """Computed tensors by name, for values of the inputs in the order of ``_inputs``."""
        torch = self._torch
        # A copy, as operations may work in place; and with PyTorch's own strides, by which it chooses kernels, while
        # those of arrays say anything along axes of size 1.
        given = {
            name: torch.empty(array.shape, dtype=getattr(torch, TORCH_TYPES[kind])).copy_(torch.from_numpy(array))
            for (name, kind), array in zip(self._inputs.items(), values, strict=True)
        }
        with torch.inference_mode():
            return self._computed({**self._weights, **given})

    def _computed(self, held: dict[str, Any]) -> dict[str, Any]:
        """Outputs by name; ``held`` are weights and input, to which results are added as long as they are needed."""
        for (node, operation), done in zip(self._steps, self._last, strict=True):
            named = {name: self._argument(one, held) for name, one in node.named.items()}
            given = operation(*(self._argument(one, held) for one in node.positional), **named)
            several = len(node.results) > 1
            for result, one in zip(node.results, given if several else [given], strict=several):
                if isinstance(result, str):
                    held[result] = one
                else:
                    held.update(zip(result, one, strict=True))
            for name in done:
                held.pop(name, None)
        return held

    def _argument(self, said: Any, held: Mapping[str, Any]) -> Any:
        match said:
            case Value():
                return held[said.name]
            case Coded():
                names = TORCH_TYPES if said.kind == "scalar_type" else MEMORY_FORMATS
                return getattr(self._torch, names[said.number])
            case list():
                return [self._argument(one, held) for one in said]
        return said

    def _step(self, path: Path, node: Node) -> tuple[Node, Any]:
        """A node and the operation of it, which is on the list."""
        if node.target.startswith(PYTHON):
            import operator

            found = getattr(operator, node.target.removeprefix(PYTHON), None)
        else:
            if not node.target.startswith(ATEN):
                # Operations of quantization are registered by a module that nothing else loads.
                import torch.ao.quantization.fx._decomposed  # noqa: F401
            space = self._torch.ops.aten if node.target.startswith(ATEN) else self._torch.ops.quantized_decomposed
            name, _, overload = node.target.removeprefix(ATEN).removeprefix(DECOMPOSED).partition(".")
            forms = getattr(space, name, None)
            found = getattr(forms, overload) if forms is not None and overload in forms.overloads() else None
        # Beside those that work in place there are forms that write into an argument for the result.
        refuse(
            (
                found is None or (node.target.startswith(ATEN) and found._schema.is_mutable and not in_place(node)),
                f"{path}: operation {node.target} is not one of PyTorch {self._torch.__version__}; export it with this",
            ),
        )
        return node, found

    def _tensor(self, weight: Any) -> Any:
        kind = getattr(self._torch, TORCH_TYPES[weight.type])
        if not prod(weight.sizes):
            return self._torch.empty(weight.sizes, dtype=kind)
        flat = self._torch.frombuffer(bytearray(weight.content), dtype=kind)
        # PyTorch's own memory begins at multiples of 64 bytes, on which the last bits of some sums depend.
        return self._torch.as_strided(flat, weight.sizes, weight.strides, weight.offset).clone()


load, load_values = Torch, partial(Torch, values=True)


def ends(path: Path) -> Ends:
    """See ``RuntimeModule``."""
    program = read_program(path)
    inputs = [NamedInput(name, program.borders[name].sizes[1:], place) for place, name in enumerate(program.inputs)]
    return Ends(inputs, program.titles)


def range_of_input(path: Path) -> tuple[float, float, float] | None:
    """See ``RuntimeModule``."""
    graph = TorchGraph(read_program(path), lambda name: None)
    return graph.range_of_input(graph.changed)


def stored(path: Path) -> list[tuple[bool, int]]:
    """See ``RuntimeModule``."""
    held = read_program(path).weights.values()
    return [(one.type in BYTES, prod(one.sizes)) for one in held if one.type in BYTES | {FLOAT, *HALVES}]


def _details(border: Border, name: str, place: int) -> dict[str, Any]:
    """What ``signature`` wants to know of an input or output at a place."""
    kind = np.float32 if border.type in HALVES else TYPES.get(border.type, np.object_)
    return described(border.sizes, kind, name=name, index=place)


def _array(tensor: Any) -> np.ndarray:
    """A tensor as an array; other floating-point numbers as float32."""
    return np.asarray((tensor.float() if tensor.is_floating_point() else tensor).numpy())


def _last_uses(program: ExportedProgram) -> Sequence[list[str]]:
    """For each node that runs, the values that no later one takes, so that their memory is free."""
    kept = {*program.outputs, *program.weights}
    found: list[list[str]] = []
    for node in reversed([node for node in program.nodes if not is_check(node)]):
        found.append([name for name in node.values if name not in kept])
        kept.update(found[-1])
    return found[::-1]
