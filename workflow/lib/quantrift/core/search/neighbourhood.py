"""Interface of finite neighbourhoods of an 8-bit image: numbered members, each known by its parameters.

Users write sizes behind the name of a neighbourhood: ``2``, or ``30:0.5`` for reach and step.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from math import prod

import numpy as np

from quantrift.core.base.errors import QuantriftError, refuse

Shape = tuple[int, int, int]
"""Rows, columns and channels of an image."""


class Neighbourhood(ABC):
    """Images that can be made of one image of a shape; members are numbered 0 to ``size - 1``, in one fixed order.

    Two members never have the same parameters. They may be the same image, as where all values are 255 already.
    """

    def __init__(self, text: str, names: Sequence[str], sides: Sequence[int]) -> None:
        """A neighbourhood.

        Args:
            text: the neighbourhood as a user writes it, with every default filled in, like ``shift=2``.
            names: of the parameters.
            sides: numbers of places on the axes along which searches move.
        """
        self.text, self.names, self.sides = text, tuple(names), tuple(sides)
        # Python's integers, which no neighbourhood overflows.
        self.size = prod(self.sides)
        """Number of members."""

    def at(self, places: np.ndarray) -> np.ndarray:
        """Numbers, int64 (n,), of members by their places on the axes, int64 (n, axes), each 0 to its side - 1."""
        return places[:, 0]

    @property
    def home(self) -> np.ndarray:
        """Places of the member with number 0, int64 (axes,)."""
        return np.zeros(1, np.int64)

    @abstractmethod
    def parameters(self, numbers: np.ndarray) -> np.ndarray:
        """Parameters, float64 (n, parameters), of members by their numbers, int64 (n,), each 0 to ``size - 1``."""

    @abstractmethod
    def apply(self, images: np.ndarray, parameters: np.ndarray) -> np.ndarray:
        """Change each image by its own parameters.

        Args:
            images: uint8 (n, H, W, C), left as they are.
            parameters: float64 (n, parameters).

        Returns:
            uint8 (n, H, W, C); each row depends on its image and parameters alone.
        """

    def members(self, image: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Members, uint8 (n, H, W, C), of one image, uint8 (H, W, C), by their numbers, int64 (n,)."""
        return self.apply(np.repeat(image[None], len(numbers), axis=0), self.parameters(numbers))

    def described(self, number: int) -> str:
        """The parameters of a member in words, like ``down=1 right=-2``."""
        [values] = self.parameters(np.array([number])).tolist()
        return " ".join(f"{name}={value:.15g}" for name, value in zip(self.names, values, strict=True))


class Grid(Neighbourhood):
    """Members are all combinations of the values on some axes; the last axis runs fastest."""

    def __init__(self, text: str, axes: Mapping[str, np.ndarray]) -> None:
        """Takes the text, and the values (k,) of each parameter, none of them twice."""
        self._axes = [np.asarray(axis, np.float64) for axis in axes.values()]
        # Along an axis a parameter rises, whatever the order in which members are numbered.
        self._rising = [np.argsort(axis, kind="stable") for axis in self._axes]
        super().__init__(text, tuple(axes), [len(axis) for axis in self._axes])

    def parameters(self, numbers: np.ndarray) -> np.ndarray:
        """See :class:`Neighbourhood`."""
        places = zip(self._axes, np.unravel_index(numbers, self.sides), strict=True)
        return np.stack([axis[place] for axis, place in places], axis=1)

    def at(self, places: np.ndarray) -> np.ndarray:
        """See :class:`Neighbourhood`."""
        own = (rising[place] for rising, place in zip(self._rising, places.T, strict=True))
        return np.ravel_multi_index(tuple(own), self.sides)

    @property
    def home(self) -> np.ndarray:
        """See :class:`Neighbourhood`."""
        return np.array([int(np.flatnonzero(rising == 0)[0]) for rising in self._rising])


class InTurn(Neighbourhood):
    """All members of one neighbourhood of all members of another: two changes, each on the grid of 8 bits."""

    def __init__(self, first: Neighbourhood, second: Neighbourhood) -> None:
        """Takes the change that is made first, and the one that is made of its result."""
        super().__init__(f"{first.text}+{second.text}", first.names + second.names, first.sides + second.sides)
        self._first, self._second = first, second

    def parameters(self, numbers: np.ndarray) -> np.ndarray:
        """See :class:`Neighbourhood`."""
        before, after = np.divmod(numbers, self._second.size)
        return np.concatenate([self._first.parameters(before), self._second.parameters(after)], axis=1)

    def at(self, places: np.ndarray) -> np.ndarray:
        """See :class:`Neighbourhood`."""
        split = len(self._first.sides)
        return self._first.at(places[:, :split]) * self._second.size + self._second.at(places[:, split:])

    @property
    def home(self) -> np.ndarray:
        """See :class:`Neighbourhood`."""
        return np.concatenate([self._first.home, self._second.home])

    def apply(self, images: np.ndarray, parameters: np.ndarray) -> np.ndarray:
        """See :class:`Neighbourhood`."""
        split = len(self._first.names)
        return self._second.apply(self._first.apply(images, parameters[:, :split]), parameters[:, split:])


def whole(name: str, size: str | None, default: int, most: int) -> int:
    """A whole number from 1 to ``most``; the default, or ``most`` if that is less, where none is given.

    Raises:
        QuantriftError: the text is no such number; ``name`` is that of the neighbourhood.
    """
    if size is None:
        return min(default, most)
    number = int(size) if size.isascii() and size.isdecimal() else 0
    refuse((not 1 <= number <= most, f"'{name}={size}'; give a whole number from 1 to {most}"))
    return number


def reach_and_step(name: str, size: str | None, default: str, most: int) -> tuple[str, np.ndarray]:
    """Values of a grid ``REACH:STEP`` from the middle outwards: 0, -STEP, STEP, ... -REACH, REACH.

    Args:
        name: of the neighbourhood, for messages.
        size: the text; None for the default.
        default: such a text.
        most: largest reach.

    Returns:
        The text as it counts, and the values, float64 (k,).

    Raises:
        QuantriftError: the text is no such grid.
    """
    text = default if size is None else size
    try:
        reach, step = map(Decimal, text.split(":"))
        fits = reach.is_finite() and step.is_finite() and 0 < step <= reach <= most and not reach % step
    except (ValueError, InvalidOperation):
        fits = False
    if not fits:
        raise QuantriftError(
            f"'{name}={text}'; give REACH:STEP like {default}, a reach of at most {most} that is a multiple of the step"
        )
    # Products of decimals, as sums of binary fractions would miss what was written.
    return text, np.array([float(place * step) for place in outwards(int(reach / step)).astype(int).tolist()])


def outwards(reach: int) -> np.ndarray:
    """0, -1, 1, -2, 2, ... ``-reach``, ``reach``: float64 (2 * reach + 1,). So a first counterexample is a near one."""
    steps = np.arange(1, reach + 1, dtype=np.float64)
    return np.concatenate([[0.0], np.stack([-steps, steps], axis=1).ravel()])
