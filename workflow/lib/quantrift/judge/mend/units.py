"""Units of a network that are quantized or left in float as one: a layer, and what only moves its values."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count


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
    for one in operations:
        if not one.quantized:
            continue
        head = next((heads[name] for name in one.reads if name in heads), None)
        if one.moves and head is None:
            waiting.append(one)
            continue
        if not one.moves:
            head = one.name
            # Along a chain of moves, the first one may be read by the next alone.
            read = {name for name in one.reads}
            for move in reversed(waiting):
                if move.name in read:
                    read |= set(move.reads)
                    members.setdefault(head, []).append(move)
            waiting = [move for move in waiting if move not in members.get(head, [])]
        assert head is not None
        heads[one.name] = head
        members.setdefault(head, []).append(one)
    return _named([(next(one for one in group if one.name == head), group) for head, group in members.items()])


def _named(groups: Sequence[tuple[Operation, Sequence[Operation]]]) -> list[Unit]:
    found: list[Unit] = []
    taken: set[str] = set()
    for head, group in groups:
        name = head.layer or head.name
        if name in taken:
            name = next(f"{name} ({number})" for number in count(2) if f"{name} ({number})" not in taken)
        taken.add(name)
        ordered = [head, *(one for one in group if one is not head)]
        layers = tuple(dict.fromkeys(one.layer for one in ordered if one.layer))
        operations = tuple(one.name for one in ordered)
        found.append(Unit(name, head.kind, operations, layers, sum(one.macs for one in group)))
    return found
