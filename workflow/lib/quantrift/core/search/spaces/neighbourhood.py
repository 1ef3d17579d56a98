"""Finite neighbourhoods of 8-bit images: a candidate is a place on each axis of their grid.

Members are those of ``quantrift certify``, byte for byte. Places are whole numbers, so a searcher that moves
continuously is taken to the nearest member. Along an axis a parameter rises: neighbours on the grid are similar images.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from quantrift.core.base.errors import QuantriftError, said_of
from quantrift.core.search.neighbourhood_kinds import check_known, module_names, named
from quantrift.core.search.space import Domain, Originals, Space
from quantrift.core.search.spaces import pixels

Move = Callable[[np.ndarray, np.random.Generator], np.ndarray]
LONGEST = 2**24
"""Most places of an axis: beyond it, float32 candidates skip whole numbers."""


@dataclass(frozen=True)
class Params:
    """Settings of the space."""

    of: str = "brightness"
    """The neighbourhood as ``quantrift certify`` takes it, all members of one kind or of several in turn:
    ``shift=2+brightness=16`` (docs/certifying.md). Boxes are no finite neighbourhoods."""

    def __post_init__(self) -> None:
        try:
            check_known(self.of)
        except QuantriftError as error:
            raise ValueError(f"of: {error}") from None


class Members(Space):
    """The members of the neighbourhoods of images of one shape."""

    def __init__(self, params: Params, domain: Domain) -> None:
        with said_of("space.neighbourhood.of"):
            self.neighbourhood = named(params.of, domain.shape)
            if max(self.neighbourhood.sides) > LONGEST:
                raise QuantriftError(
                    f"'{self.neighbourhood.text}' has an axis of more than {LONGEST:,} members; give smaller numbers"
                )
        sides = np.array(self.neighbourhood.sides)
        self.shape: tuple[int, ...] = sides.shape
        self.lower: np.ndarray = np.zeros(self.shape, np.float32)
        self.upper: np.ndarray = (sides - 1).astype(np.float32)
        self.integer: np.ndarray = np.ones(self.shape, bool)
        self._pixels = pixels.bind(pixels.Params(), domain)

    def part(self, start: int, end: int) -> np.ndarray:
        """Some of all members as candidates, float32 (end - start, axes), in the order of the axes."""
        return np.stack(np.unravel_index(np.arange(start, end), self.neighbourhood.sides), axis=1).astype(np.float32)

    @property
    def moves(self) -> list[Move]:
        """Two for each axis, from places to new ones, int64 (axes,): one place up or down, and any other place."""
        axes = np.flatnonzero(self.upper).tolist()
        return [partial(move, axis) for axis in axes for move in (self._step, self._jump)]

    def _step(self, axis: int, places: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        moved, last, up = places.copy(), self.neighbourhood.sides[axis] - 1, bool(rng.integers(2))
        moved[axis] += -1 if places[axis] == last or (places[axis] and not up) else 1
        return moved

    def _jump(self, axis: int, places: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        moved, drawn = places.copy(), int(rng.integers(self.neighbourhood.sides[axis] - 1))
        moved[axis] = drawn + (drawn >= places[axis])
        return moved

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """N members, each equally likely; see :class:`quantrift.core.search.space.Space`."""
        return rng.integers(self.neighbourhood.sides, size=(n, *self.shape)).astype(np.float32)

    def decode(self, candidates: np.ndarray, originals: Originals, rows: np.ndarray) -> np.ndarray:
        """The members nearest to candidates; see :class:`quantrift.core.search.space.Space`.

        Raises:
            QuantriftError: if a seed input is no image of 8 bits.
        """
        levels = self._pixels.levels(originals.inputs)
        if not np.array_equal(self._pixels.of_levels(levels), originals.inputs):
            raise QuantriftError(
                "space.neighbourhood: a seed input has values between those of 8 bits; finite neighbourhoods are those "
                "of 8-bit images"
            )
        members = self.neighbourhood.at(np.rint(np.clip(candidates, self.lower, self.upper)).astype(np.int64))
        return self._pixels.of_levels(self.neighbourhood.apply(levels[rows], self.neighbourhood.parameters(members)))


def images_alone(params: Params) -> bool:
    """Whether the inputs must be images of 8 bits: always."""
    return True


def modules(params: Params) -> list[str]:
    """Modules that the space loads by name; a change of one reruns the searches in this space."""
    return module_names()


bind = Members
