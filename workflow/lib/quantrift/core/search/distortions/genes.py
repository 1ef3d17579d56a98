"""Distortions: genes, the numbers of a vector, with their bounds, the setting that these follow from, and functions."""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Any, Literal

import numpy as np

from quantrift.core.base.observed_columns import TableColumns

Shape = tuple[int, int, int]
"""(H, W, B) of a patch, (H, W, C) of an image."""


@dataclass(frozen=True)
class Gene:
    """A number between two bounds. Integer genes are rounded when decoded."""

    lower: float
    upper: float
    integer: bool = True


ON_OFF = Gene(0, 1)
PATTERN = Gene(0, 2**16 - 1)
"""Number of a pattern of noise."""


@dataclass(frozen=True)
class Setting:
    """Shape, strength and variant that decide the block of a distortion."""

    shape: Shape
    strength: float = 1
    """Share in (0, 1] of the distortion's full range (DiverGet §4.3 (ii))."""
    variant: Literal["paper", "code"] = "paper"
    """Of the hyperspectral space; images have no other."""


NONE = TableColumns((), ())
"""No table."""


@dataclass(frozen=True)
class TableSetting(Setting):
    """What decides the block of a distortion of a table."""

    table: TableColumns = NONE
    beyond: bool = False
    """Whether values may leave the ranges observed."""


@dataclass(frozen=True, eq=False)
class Distortion:
    """The block of one distortion; its class is its kind. Everything is vectorised over candidates."""

    genes: list[Gene]
    """The block's genes after its activation gene; an empty list where the shape has no room for it."""
    apply: Callable[..., Any]
    """Function of the distortion, with the arguments that its kind says."""
    redraw: Callable[[np.ndarray, np.random.Generator], None] | None = None
    """Draws anew, in place, the genes that do not start as uniform draws between their bounds, in a block, float32
    (n, length), drawn uniformly. All draws come from the generator."""


class SignalDistortion(Distortion):
    """Changes one signal after the other, so that none depends on what stands beside it.

    ``apply(signal, genes, span)`` does so in place: float32 (T, C), steps and channels, as earlier distortions left it;
    a list of the block's genes, integer ones already rounded; greatest less least value observed of each channel,
    float32 (C,).
    """


class TableDistortion(Distortion):
    """Changes one row after the other, so that none depends on what stands beside it.

    ``apply(row, genes)`` changes a row, float32 (F,), in place, by a list of the block's genes, integer ones already
    rounded.
    """


def share(fraction: float, of: int) -> int:
    """ceil(fraction of ``of``), at least 1; safe against binary fractions such as .07 * 100 = 7.000000000000001."""
    return max(1, ceil(round(fraction * of, 9)))


def around(reach: float) -> Gene:
    """Any number from ``-reach`` to ``reach``."""
    return Gene(-reach, reach, integer=False)


def up_to(most: float) -> Gene:
    """Any number from 0 to ``most``."""
    return Gene(0, most, integer=False)


def generator(pattern: float) -> np.random.Generator:
    """Random generator of a pattern, by its number."""
    return np.random.Generator(np.random.PCG64(int(pattern)))


def powers_of_two(doublings: np.ndarray) -> np.ndarray:
    """Factors, float64 (k,), one by one, as numpy's power may differ in the last bit with the place in an array."""
    return np.array([2.0**one for one in doublings.tolist()])


def stretch(start: float, length: float, size: int) -> slice:
    """A stretch of whole places that begins at a share of what it leaves free, so that all of it fits in.

    Args:
        start: 0 to 1.
        length: number of places, at most ``size``.
        size: number of places that there are.
    """
    first = round(start * (size - int(length)))
    return slice(first, first + int(length))
