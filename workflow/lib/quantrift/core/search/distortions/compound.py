"""Compound distortions as vectors: a block of genes for each, an activation gene followed by its parameters.

Distortions are found by folder: a module in ``hsi`` or another is one, and its file name is its name. It offers
``bind(setting)``, its block for inputs of one shape, and ``PLACE``, by which blocks stand in the vector and radiometric
ones apply. The order never changes, as vectors in records have it: a new distortion takes a place of its own, best
behind all others. Those in ``hsi`` that not all variants of DiverGet have say which in ``VARIANTS``, and the others
``GROUPS``, names by which tools ask for several distortions at once; the group ``default`` is of tools that name none.
A new distortion says ``()``, so that no tool changes but those that name it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any, Literal

import numpy as np

from quantrift.core.base import plugins
from quantrift.core.base.grouped import grouped
from quantrift.core.search.distortions.genes import ON_OFF, Distortion, Gene, Setting

Folder = Literal["hsi", "images", "signals", "tables"]
DEFAULT = "default"
"""Group of the distortions that tools have which name none."""


def modules(folder: Folder, params: Any) -> list[str]:
    """Modules that a space with these settings loads by name; a change of one reruns the searches in this space."""
    return [module_name(folder, name) for name in params.distortions]


def module_name(folder: Folder, name: str) -> str:
    """The module of a distortion."""
    return f"{__package__}.{folder}.{name}"


def load(folder: Folder, name: str) -> ModuleType:
    """The module of a distortion. Raises ``KeyError`` for one that the folder does not have."""
    return plugins.load(f"{__package__}.{folder}", name)


@cache
def in_order(folder: Folder) -> tuple[str, ...]:
    """Names of all distortions of a folder by their places; imports them, as each says its own, and no others."""
    return tuple(sorted(plugins.names(f"{__package__}.{folder}"), key=lambda name: load(folder, name).PLACE))


@cache
def groups(folder: Folder) -> Mapping[str, tuple[str, ...]]:
    """Name of each group of distortions -> its distortions, in order; for all folders but ``hsi``."""
    named = grouped((group, name) for name in in_order(folder) for group in load(folder, name).GROUPS)
    return {group: tuple(names) for group, names in named.items()}


def of_folder(folder: Folder, named: Iterable[str] | None, also: Iterable[str] = ()) -> tuple[str, ...]:
    """The distortions that are named, each by itself or by a group, in order; the default where no names are given.

    Args:
        folder: any but ``hsi``.
        named: names of distortions and groups; None for the default.
        also: more names of distortions, which must be known too.

    Raises:
        ValueError: a name is unknown, or nothing is named.
    """
    known = groups(folder)
    asked = [one for name in ([DEFAULT] if named is None else named) for one in known.get(name, (name,))]
    return chosen(in_order(folder), asked, also)


def chosen(known: Sequence[str], asked: Sequence[str], also: Iterable[str] = ()) -> tuple[str, ...]:
    """The distortions asked for, in the order of those known.

    Args:
        known: names in order.
        asked: some of them.
        also: more names, which must be known too.

    Raises:
        ValueError: a name is unknown, or nothing is asked for.
    """
    unknown = [name for name in (*asked, *also) if name not in known]
    if unknown or not asked:
        raise ValueError(f"distortions must be some of {', '.join(known)}, got {', '.join(unknown) or 'none'}")
    return tuple(name for name in known if name in asked)


@dataclass(frozen=True, eq=False)
class Block:
    """Where a distortion's genes stand in the vector."""

    name: str
    distortion: Distortion
    activation: int
    """Place of the activation gene."""
    genes: slice
    """Places of the parameters, which follow."""


class Compound:
    """The vectors of distortions that are switched on and off together: a space without its decoding."""

    def __init__(
        self, folder: Folder, params: Any, setting: Callable[[float], Setting], shared: Sequence[Gene] = ()
    ) -> None:
        """A space of distortions of one folder.

        Args:
            folder: the folder.
            params: settings with ``distortions``, names in order, and ``strengths``, 1 for those that are not named.
            setting: from the strength of a distortion to its setting.
            shared: genes before all blocks.
        """
        self.blocks: list[Block] = []
        whole = [*shared]
        for name in params.distortions:
            distortion: Distortion = load(folder, name).bind(setting(params.strengths.get(name, 1)))
            if own := distortion.genes:
                first = len(whole) + 1
                self.blocks.append(Block(name, distortion, first - 1, slice(first, first + len(own))))
                whole += [ON_OFF, *own]
        self.lower = np.array([gene.lower for gene in whole], np.float32)
        self.upper = np.array([gene.upper for gene in whole], np.float32)
        self.integer = np.array([gene.integer for gene in whole], bool)
        self.shape: tuple[int, ...] = self.lower.shape
        self.distortions = tuple(block.name for block in self.blocks)
        self._real = np.flatnonzero(~self.integer)

    def active(self, candidates: np.ndarray) -> np.ndarray:
        """Which blocks are switched on; see :class:`quantrift.core.search.space.Space`."""
        on = np.rint(candidates[:, [block.activation for block in self.blocks]]) == 1
        return (on << np.arange(len(self.blocks))).sum(axis=1).astype(np.uint32)

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """N random vectors, float32 (n, length): switches by coin, parameters as each distortion draws them."""
        # An integer gene is the floor of a number between its lower bound and one above its upper bound.
        drawn = self.lower + rng.random((n, *self.shape)) * (self.upper.astype(np.float64) - self.lower + self.integer)
        np.floor(drawn, out=drawn, where=self.integer)
        vectors = np.minimum(drawn, self.upper, out=drawn).astype(np.float32)
        for block in self.blocks:
            if block.distortion.redraw is not None:
                block.distortion.redraw(vectors[:, block.genes], rng)
        return vectors

    def rounded(self, candidates: np.ndarray) -> np.ndarray:
        """Candidates (n, length) with integer genes rounded: a new array."""
        vectors = np.rint(candidates)
        vectors[:, self._real] = candidates[:, self._real]
        return vectors

    def at_work(self, vectors: np.ndarray, kind: type[Distortion]) -> Iterator[tuple[Any, np.ndarray, np.ndarray]]:
        """The distortions of a kind that any vector has switched on, in order.

        Args:
            vectors: (n, length), rounded.
            kind: a class of distortions.

        Yields:
            The distortion, the vectors that have it on, int (k,), and its parameters in these, (k, parameters).
        """
        for block in self.blocks:
            if isinstance(block.distortion, kind):
                on = np.flatnonzero(vectors[:, block.activation] == 1)
                if len(on):
                    yield block.distortion, on, vectors[on, block.genes]
