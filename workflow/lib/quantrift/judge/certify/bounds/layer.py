"""Layers of a network as the bounds see them, in real numbers: a chain from the image to the logits."""

from dataclasses import dataclass

import numpy as np

from quantrift.judge.certify.bounds.linear_map import LinearMap, Window

TIE = 1e-3
"""Steps of a grid around a tie within which either number counts as the nearest: float32 divides by the step first."""


@dataclass(frozen=True, eq=False)
class Affine:
    """A linear map with a bias, its rounding, and the limits that the result is moved into."""

    linear: LinearMap
    bias: np.ndarray
    """float64, broadcast over the output."""
    rounding: "Rounding"
    low: float
    """Least value of an output: 0 after a ReLU, the end of the grid of an 8-bit output, or -infinity."""
    high: float


@dataclass(frozen=True)
class MaxPool:
    """The largest value of each channel in a window; exact in every arithmetic."""

    window: Window


@dataclass(frozen=True)
class Clamp:
    """An activation by itself."""

    low: float
    high: float


@dataclass(frozen=True)
class Reshape:
    """All numbers in one row, in the order of memory."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Rounding to the nearest number of a grid of 8 bits, of the input or between two layers."""

    step: float
    low: float
    """Least number of the grid."""
    high: float


@dataclass(frozen=True, eq=False)
class Rounding:
    """The most that a runtime's arithmetic of a layer differs from real numbers."""

    relative: float
    """Of the sum of the magnitudes of all products and the bias."""
    result: np.ndarray
    """Of the result by itself, float64, broadcast over the output: the last rounding to a grid."""
    of_result: float
    """Of the result's magnitude: the rounding of the factor between two grids."""


Layer = Affine | MaxPool | Clamp | Reshape | Grid
