"""Builders of networks in mixed precision, one for each kind of file, and the units that they quantize as one."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base.errors import refuse
from quantrift.judge.mend.ranges import Ranges

MODULES = {"litert": "quantrift.judge.mend.mixed_tflite", "onnxruntime": "quantrift.judge.mend.mixed_onnx"}
"""Runtime -> module with ``PACKAGE``, ``manner(path)`` of a compressed file, and ``bind(path, manner)``."""
BATCH = 8
"""Inputs whose activations are all in memory at once."""


@dataclass(frozen=True)
class Operation:
    """One operation of a float network, in the order of computation."""

    name: str
    """Unique: how the quantizer of this kind of file is told about it."""
    kind: str
    """Like ``CONV_2D`` or ``Conv``."""
    layer: str | None
    """Name of its output in a comparison of layers (``networks.layer_comparison``); ``None`` where there is none."""
    reads: tuple[str, ...]
    """Names of the operations whose outputs it reads."""
    macs: int
    """Multiply-accumulates for one input."""
    moves: bool
    """Whether it gives values that it reads, like a reshaping or a maximum."""
    quantized: bool
    """Whether its output is in 8 bits where nothing is left in float."""


@dataclass(frozen=True)
class Unit:
    """Operations that are quantized, or left in float, together."""

    name: str
    kind: str
    """Of the operation that computes."""
    operations: tuple[str, ...]
    layers: tuple[str, ...]
    """Names under which layers are compared, that of the operation which computes first."""
    macs: int


def units(operations: Sequence[Operation]) -> list[Unit]:
    """Units of a network: each operation in 8 bits that computes, with those that move what it gives.

    Moves of the network's input belong to the first operation that reads them.
    """
    heads: dict[str, str] = {}
    members: dict[str, list[Operation]] = {}
    waiting: list[Operation] = []
    for one in (operation for operation in operations if operation.quantized):
        head = next((heads[name] for name in one.reads if name in heads), None) if one.moves else one.name
        if head is None:
            waiting.append(one)
            continue
        group = members.setdefault(head, [])
        if not one.moves:
            # Along a chain of moves, the first one may be read by the next alone.
            read = set(one.reads)
            for move in reversed(waiting):
                if move.name in read:
                    read |= set(move.reads)
                    group.append(move)
            waiting = [move for move in waiting if move not in group]
        heads[one.name] = head
        group.append(one)
    found: dict[str, Unit] = {}
    for name, group in members.items():
        ordered = sorted(group, key=lambda one: one.name != name)
        own = ordered[0].layer or name
        title = next(one for one in (own, *(f"{own} ({n})" for n in range(2, len(members) + 2))) if one not in found)
        found[title] = Unit(
            title,
            ordered[0].kind,
            tuple(one.name for one in ordered),
            tuple(dict.fromkeys(one.layer for one in ordered if one.layer)),
            sum(one.macs for one in group),
        )
    return list(found.values())


@dataclass(frozen=True)
class Manner:
    """How a file is quantized, beside the choice of its layers."""

    per_channel: bool
    """Whether each output channel's weights have a scale of their own."""
    float_border: bool
    """Whether input and output are float."""
    in_16_bits: bool = False
    """Whether units that are kept from 8 bits are in 16 bits, not in float."""
    quantized: bool = True
    """Whether activations are in 8 bits: False of files whose weights alone are, and of float ones."""


class Builder(ABC):
    """Files in mixed precision, made of one float network by the ``bind`` of a module of ``MODULES``."""

    tool: str
    """Distribution that quantizes."""
    base: Path
    """The float network that is quantized."""
    manner: Manner
    units: list[Unit]
    """In the order of computation."""
    floats: list[str]
    """Operations that multiply in float whatever is asked for, one line each."""

    def _list(self, operations: Sequence[Operation]) -> None:
        self.units = units(operations)
        self.floats = [
            f"{one.layer or one.name}: {one.kind} cannot be in 8 bits and stays in float"
            for one in operations
            if one.macs and not one.quantized
        ]

    def values(self, x: np.ndarray) -> Mapping[str, np.ndarray]:
        """Values of every activation, (n, ...) each, of ``x``, float32 (n, H, W, C)."""
        # Shapes are no rows of inputs.
        parts = [
            {name: np.atleast_1d(one[:count] if one.ndim > 1 else one) for name, one in part.items()}
            for part, count in self._values(x)
        ]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def build(self, kept: Collection[str], ranges: Ranges) -> bytes:
        """Content of the file in which the units named ``kept`` are in float, or in 16 bits.

        Raises:
            QuantriftError: the quantizer refuses.
        """
        return self._made(self._names(kept), ranges)

    def recipe(self, kept: Collection[str]) -> Any:
        """What the quantizer is told, as JSON takes it."""
        return self._recipe(self._names(kept))

    def _names(self, kept: Collection[str]) -> list[str]:
        return [name for unit in self.units if unit.name in kept for name in unit.operations]

    @abstractmethod
    def macs(self, content: bytes) -> tuple[int, int]:
        """Multiply-accumulates of a file for one input: those in 8 bits, and all."""

    @abstractmethod
    def weights(self, content: bytes) -> int:
        """Bits of the weights in a file, biases of 32-bit integers aside."""

    @abstractmethod
    def _values(self, x: np.ndarray) -> Iterator[tuple[dict[str, np.ndarray], int]]:
        """Values of every activation in each run, and the number of inputs in it that are no padding."""

    @abstractmethod
    def _made(self, names: Collection[str], ranges: Ranges) -> bytes:
        """Content of the file in which the operations named are kept from 8 bits."""

    @abstractmethod
    def _recipe(self, names: Collection[str]) -> Any:
        """What the quantizer is told then."""


def module(runtime: str) -> Any:
    """The module that quantizes files of a runtime, which is one of ``MODULES``."""
    return import_module(MODULES[runtime])


def builder(path: Path, runtime: str, manner: Manner) -> Builder:
    """The builder for a float network.

    Args:
        path: .tflite or .onnx in float32.
        runtime: of it.
        manner: how it is quantized.

    Raises:
        QuantriftError: the network is not in float, or has no operation that can be in 8 bits.
    """
    made: Builder = module(runtime).bind(path, manner)
    refuse((not made.units, f"{path}: none of its operations can be in 8 bits; there is nothing to mend"))
    return made
