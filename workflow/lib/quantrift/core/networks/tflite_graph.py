"""The graph in a .tflite file: operations, tensors, constants, quantization. Reads the file's schema; runs nothing.

The schema's code trusts every offset in a file, so that a damaged one may lead to any error; who reads given files says
so in one line (``core.base.errors.reading``).
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from quantrift.core.networks import graph

OPERATIONS = {number: name for name, number in vars(schema.BuiltinOperator).items() if name.isupper()}
"""Number of an operation in the schema -> its name, like ``CONV_2D``."""
TYPES = {number: name for name, number in vars(schema.TensorType).items() if name.isupper()}
"""Number of a type in the schema -> its name, like ``FLOAT32``."""
DTYPES: Mapping[str, Any] = {
    **{f"FLOAT{bits}": np.dtype(f"float{bits}") for bits in (16, 32, 64)},
    **{f"{sign.upper()}INT{bits}": np.dtype(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)},
}
"""Name of a type -> of numpy, of those that numpy has."""


class Tensor:
    """A tensor of a graph."""

    def __init__(self, root: Any, table: Any, index: int) -> None:
        """A ``schema.Tensor`` of a ``schema.Model``, and its index in the graph."""
        self._root, self._table, self.index = root, table, index

    @cached_property
    def name(self) -> str:
        """The name that the converter gave it; empty without one."""
        return (self._table.Name() or b"").decode(errors="replace")

    @cached_property
    def type(self) -> str:
        """A name of ``TYPES``."""
        return TYPES[self._table.Type()]

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """With 1 for an open batch."""
        return _indices(self._table.ShapeAsNumpy())

    @cached_property
    def open_shape(self) -> tuple[int, ...]:
        """With -1 for sides that are open, where the file states them."""
        stated = self._table.ShapeSignatureAsNumpy()
        return tuple(int(side) for side in stated) if isinstance(stated, np.ndarray) else self.shape

    @cached_property
    def stored(self) -> np.ndarray | None:
        """The bytes that the file stores for it, uint8 (n,); ``None`` for what is computed.

        Raises:
            ValueError: they would lie beyond the end of the file.
        """
        return _bytes(self._root, self._table.Buffer())

    @cached_property
    def scales(self) -> np.ndarray:
        """Real numbers of one step, float64: one, or one for each place of ``axis``; none where it is not quantized."""
        grid = self._table.Quantization()
        return np.array(_array(grid.ScaleAsNumpy() if grid else 0), np.float64)

    @cached_property
    def zeros(self) -> np.ndarray:
        """The integer that stands for 0, int64, as many as ``scales``."""
        grid = self._table.Quantization()
        stated = np.array(_array(grid.ZeroPointAsNumpy() if grid else 0), np.int64)
        return stated if len(stated) else np.zeros(len(self.scales), np.int64)

    @property
    def axis(self) -> int:
        """The axis of the scales."""
        return int(self._table.Quantization().QuantizedDimension())

    @cached_property
    def numbers(self) -> np.ndarray | None:
        """What is stored as it is; ``None`` for what is computed, and for types and shapes that do not fit."""
        if self.stored is None or self.type not in DTYPES:
            return None
        flat = np.frombuffer(self.stored.tobytes(), DTYPES[self.type])
        return flat.reshape(self.shape) if flat.size == np.prod(self.shape) else None

    @cached_property
    def values(self) -> np.ndarray | None:
        """The real numbers that ``numbers`` stand for: float64 where these are quantized."""
        return None if self.numbers is None else self.dequantized(self.numbers)

    def dequantized(self, numbers: np.ndarray) -> np.ndarray:
        """The real numbers that numbers of its shape stand for."""
        if not len(self.scales):
            return numbers
        sides = [1] * numbers.ndim
        if len(self.scales) > 1:
            sides[self.axis] = len(self.scales)
        return np.asarray((numbers - self.zeros.reshape(sides)) * self.scales.reshape(sides))


class Operation(graph.Operation[int]):
    """An operation, by indices of tensors: -1 for one that is left out."""

    def options(self, kind: Any) -> Any:
        """Its settings, as a table of a class of the schema."""
        found, stated = kind(), self.table.BuiltinOptions()
        found.Init(stated.Bytes, stated.Pos)
        return found


class Graph(graph.Graph[int]):
    """A graph: the first of a file, or one that a loop or branch of it runs."""

    UNCHANGING = frozenset({"DEQUANTIZE", "QUANTIZE", "RESHAPE", "SQUEEZE"})

    def __init__(self, content: bytes, number: int = 0) -> None:
        """Reads a file."""
        self.root = schema.Model.GetRootAs(content, 0)
        self._table = self.root.Subgraphs(number)
        self.inputs, self.outputs = map(_indices, (self._table.InputsAsNumpy(), self._table.OutputsAsNumpy()))

    @cached_property
    def tensors(self) -> list[Tensor]:
        """By index."""
        return [Tensor(self.root, self._table.Tensors(place), place) for place in range(self._table.TensorsLength())]

    @cached_property
    def operations(self) -> list[Operation]:
        """In the order of computation."""
        return [self._operation(self._table.Operators(place)) for place in range(self._table.OperatorsLength())]

    def constant(self, tensor: int) -> np.ndarray | None:
        """See ``Graph``."""
        return self.tensors[tensor].values

    def _operation(self, table: Any) -> Operation:
        code = self.root.OperatorCodes(table.OpcodeIndex())
        # Files of old converters have codes below 127 in the old field alone.
        kind = OPERATIONS[max(int(code.BuiltinCode()), int(code.DeprecatedBuiltinCode()))]
        return Operation(kind, _indices(table.InputsAsNumpy()), _indices(table.OutputsAsNumpy()), table)


def graphs(content: bytes) -> list[Graph]:
    """All graphs of a file."""
    return [Graph(content, number) for number in range(schema.Model.GetRootAs(content, 0).SubgraphsLength())]


def whole(content: bytes) -> bool:
    """Whether a file holds a network at all; the interpreter ends the whole process on one that does not."""
    return bool(schema.Model.ModelBufferHasIdentifier(content, 0) and graphs(content))


def with_all_buffers(content: bytes) -> schema.ModelT:
    """The object form of a file, in which all stored bytes lie in its buffers, so that it can be packed again.

    Raises:
        ValueError: as ``Tensor.stored``.
    """
    root = schema.Model.GetRootAs(content, 0)
    model = schema.ModelT.InitFromObj(root)
    for number, buffer in enumerate(model.buffers):
        buffer.data, buffer.offset, buffer.size = _bytes(root, number), 0, 0
    return model


def packed(model: schema.ModelT) -> bytes:
    """The file of an object form."""
    # Comes with ai-edge-litert, whose schema needs it.
    import flatbuffers

    builder = flatbuffers.Builder(2**16)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def _bytes(root: Any, number: int) -> np.ndarray | None:
    """Stored bytes: within the table, or behind it, where newer writers put large ones."""
    buffer = root.Buffers(number)
    if buffer.DataLength():
        return np.asarray(buffer.DataAsNumpy())
    start, size = int(buffer.Offset()), int(buffer.Size())
    # Offsets 0 and 1 stand for none, as the format's schema says.
    if start <= 1 or not size:
        return None
    # The whole file, which the schema's code does not hand out otherwise.
    content = root._tab.Bytes
    if start + size > len(content):
        raise ValueError("a stored tensor lies beyond the end of the file")
    return np.frombuffer(content, np.uint8, size, start)


def _indices(given: Any) -> tuple[int, ...]:
    return tuple(map(int, _array(given)))


def _array(given: Any) -> Any:
    """Numbers of a table; the schema's code gives 0 instead of an array for none at all."""
    return given if isinstance(given, np.ndarray) else ()
