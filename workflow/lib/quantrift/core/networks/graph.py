"""Graphs of networks in one vocabulary, whatever the format: operations, and the tensors that they read and give."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from quantrift.core.base.grouped import grouped

Key = TypeVar("Key")
"""A tensor: its index, its name, or what else a format knows it by."""


@dataclass(frozen=True, eq=False)
class Operation(Generic[Key]):
    """An operation of a graph."""

    kind: str
    """Its name in the format."""
    inputs: tuple[Key, ...]
    """Tensors that it reads, by their places."""
    outputs: tuple[Key, ...]
    table: Any
    """The operation as the library of the format has it."""

    @property
    def reads(self) -> Iterable[Key]:
        """All tensors that it reads, also within graphs inside of it."""
        return self.inputs


class Graph(ABC, Generic[Key]):
    """The graph of one format."""

    UNCHANGING: ClassVar[Set[str]]
    """Operations that give their input in another type or shape."""
    inputs: Sequence[Key]
    """Tensors that the graph takes."""
    outputs: Sequence[Key]
    """Tensors that it gives."""

    @cached_property
    @abstractmethod
    def operations(self) -> Sequence[Operation[Key]]:
        """In the order of computation."""

    @abstractmethod
    def constant(self, tensor: Key) -> np.ndarray | None:
        """The real numbers of a tensor; ``None`` for what is computed."""

    @cached_property
    def makers(self) -> dict[Key, Operation[Key]]:
        """Tensor -> the operation that gives it."""
        return {tensor: one for one in self.operations for tensor in one.outputs}

    @cached_property
    def readers(self) -> dict[Key, list[Operation[Key]]]:
        """Tensor -> the operations that read it."""
        return grouped((tensor, one) for one in self.operations for tensor in dict.fromkeys(one.inputs))

    @cached_property
    def activations(self) -> set[Key]:
        """Tensors that depend on the inputs; all others are constants, like weights that a file unpacks first."""
        found = set(self.inputs)
        for one in self.operations:
            if not found.isdisjoint(one.reads):
                found.update(one.outputs)
        return found

    def deciding(self, output: Key) -> Operation[Key] | None:
        """The operation that decides the values of a tensor; ``None`` if there is none."""
        tensor = output
        # No path through the graph is longer than the graph, unless the file is wrong.
        for _ in self.makers:
            maker = self.makers.get(tensor)
            if maker is None or maker.kind not in self.UNCHANGING or not maker.inputs:
                return maker
            tensor = maker.inputs[0]
        return None

    def reads(self, layers: Mapping[str, Key]) -> dict[str, tuple[str, ...]]:
        """Name of each layer, given with its tensor -> names of the layers that it reads along the graph."""
        names = {tensor: name for name, tensor in layers.items()}
        found = {}
        for name, tensor in layers.items():
            waiting, seen, before = [tensor], set(), dict[str, None]()
            while waiting:
                maker = self.makers.get(waiting.pop(0))
                for one in maker.inputs if maker else ():
                    if one in names:
                        before[names[one]] = None
                    elif one not in seen:
                        seen.add(one)
                        waiting.append(one)
            found[name] = tuple(before)
        return found
