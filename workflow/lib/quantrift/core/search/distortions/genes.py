"""Genes, the numbers of a vector of distortions: their bounds, and the setting that these follow from."""

from dataclasses import dataclass
from math import ceil
from typing import Literal

import numpy as np

Shape = tuple[int, int, int]
"""(H, W, B) of a patch, (H, W, C) of an image."""


@dataclass(frozen=True)
class Gene:
    """A number between two bounds. Integer genes are rounded when decoded."""

    lower: float
    upper: float
    integer: bool = True


ON_OFF = Gene(0, 1)


@dataclass(frozen=True)
class Setting:
    """Shape, strength and variant that decide the block of a distortion."""

    shape: Shape
    strength: float = 1
    """Share in (0, 1] of the distortion's full range (DiverGet §4.3 (ii))."""
    variant: Literal["paper", "code"] = "paper"
    """Of the hyperspectral space; images have no other."""


def share(fraction: float, of: int) -> int:
    """ceil(fraction of ``of``), at least 1; safe against binary fractions such as .07 * 100 = 7.000000000000001."""
    return max(1, ceil(round(fraction * of, 9)))


def pairs(first: Gene, second: Gene, count: int) -> list[Gene]:
    """``count`` times the two genes in turn."""
    return [first, second] * count


def around(reach: float) -> Gene:
    """Any number from ``-reach`` to ``reach``."""
    return Gene(-reach, reach, integer=False)


def powers_of_two(doublings: np.ndarray) -> np.ndarray:
    """Factors, float64 (k,), one by one, as numpy's power may differ in the last bit with the place in an array."""
    return np.array([2.0**one for one in doublings.tolist()])
