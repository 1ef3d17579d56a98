"""Zonotopes: sets of arrays that linear maps keep exact, and that ReLU, maximum and rounding enclose.

The transformers of ReLU are those of DeepZ (Singh et al., Fast and effective robustness certification, 2018).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from quantrift.judge.certify.bounds.linear_map import LinearMap

SLACK = 1e-10
"""Relative error of our own float64 sums of up to ``MOST_TERMS`` terms: above 2**-53 times their number."""
MOST_TERMS = 2**19


@dataclass(frozen=True, eq=False)
class Zonotope:
    """All arrays ``centre + sum_i e_i generators[i] + d * box`` with e_i in [-1, 1], and an own d in [-1, 1] each."""

    centre: np.ndarray
    """float64, any shape."""
    generators: np.ndarray
    """float64 (m, *shape): changes that numbers share. The first ones are those of the input."""
    box: np.ndarray
    """float64, of the shape, 0 or more: changes that each number has by itself."""

    @property
    def radius(self) -> np.ndarray:
        """Largest distance from the centre, of each number."""
        found: np.ndarray = np.abs(self.generators).sum(axis=0) + self.box
        return found

    @property
    def low(self) -> np.ndarray:
        """Lower bound of each number."""
        radius = self.radius
        found: np.ndarray = self.centre - radius - SLACK * (np.abs(self.centre) + radius)
        return found

    @property
    def high(self) -> np.ndarray:
        """Upper bound of each number."""
        radius = self.radius
        found: np.ndarray = self.centre + radius + SLACK * (np.abs(self.centre) + radius)
        return found

    def widened(self, by: np.ndarray) -> "Zonotope":
        """The set with an own error of at most ``by``, 0 or more, added to each number."""
        return Zonotope(self.centre, self.generators, self.box + by)

    def mapped(self, linear: LinearMap, bias: np.ndarray, shared: int) -> "Zonotope":
        """The set of ``linear(x) + bias``.

        Args:
            linear: the map.
            bias: broadcast over its output.
            shared: how many of the own changes stay exact, as generators; the others are bounded one by one.
        """
        flat = self.box.ravel()
        largest = np.argsort(-flat, kind="stable")[:shared]
        largest = largest[flat[largest] > 0]
        own = np.zeros((len(largest), flat.size))
        own[np.arange(len(largest)), largest] = flat[largest]
        rest = flat.copy()
        rest[largest] = 0
        generators = np.concatenate([self.generators, own.reshape(-1, *self.box.shape)])
        centre = linear(self.centre[None])[0] + bias
        magnitudes = linear.magnitudes()
        # Our own rounding: relative to the sum of magnitudes, not to a result that may cancel.
        most = magnitudes((np.abs(self.centre) + self.radius)[None])[0] + np.abs(bias)
        box = magnitudes(rest.reshape(1, *self.box.shape))[0] + SLACK * most
        return Zonotope(centre, linear(generators), box)

    def reshaped(self, shape: tuple[int, ...]) -> "Zonotope":
        """The set of the arrays in another shape of as many numbers."""
        return Zonotope(self.centre.reshape(shape), self.generators.reshape(-1, *shape), self.box.reshape(shape))

    def taken(self, part: Callable[[np.ndarray], np.ndarray]) -> "Zonotope":
        """The set of parts of the arrays.

        Args:
            part: takes (m, *shape) to (m, *other shape), by leaving out and repeating nothing but whole numbers.
        """
        return Zonotope(part(self.centre[None])[0], part(self.generators), part(self.box[None])[0])

    def clamped(self, low: float, high: float) -> "Zonotope":
        """A set that holds every array with its numbers moved into [low, high]; either may be infinite."""
        found = self
        if low > -np.inf:
            found = found.shifted(-low)._relu().shifted(low)
        if high < np.inf:
            found = found.negated().shifted(high)._relu().shifted(-high).negated()
        return found

    def shifted(self, by: float) -> "Zonotope":
        """The set with a number added everywhere."""
        centre = self.centre + by
        return Zonotope(centre, self.generators, self.box + SLACK * np.abs(centre))

    def negated(self) -> "Zonotope":
        """The set of the arrays' negatives."""
        return Zonotope(-self.centre, -self.generators, self.box)

    def _relu(self) -> "Zonotope":
        zero = Zonotope(np.zeros_like(self.centre), np.zeros_like(self.generators[:0]), np.zeros_like(self.box))
        return larger(zero, self)


def larger(first: Zonotope, second: Zonotope) -> Zonotope:
    """A set that holds the larger number of each pair; both sets share their generators, as far as each has them.

    max(a, b) = a + relu(b - a), and relu(d) of d in [l, u] lies in k d + [0, -k l] with k = u / (u - l).
    """
    count = max(len(first.generators), len(second.generators))
    a, b = (_filled(one.generators, count) for one in (first, second))
    difference = Zonotope(second.centre - first.centre, b - a, first.box + second.box)
    low, high = difference.low, difference.high
    between = (low < 0) & (high > 0)
    slope = np.where(between, high / np.where(between, high - low, 1), (low >= 0).astype(float))
    error = np.where(between, -slope * low / 2, 0)
    centre = first.centre + slope * difference.centre + error
    # Rounding of the slope, and of everything computed with it.
    most = np.abs(first.centre) + np.abs(second.centre) + first.radius + second.radius
    box = (1 - slope) * first.box + slope * second.box + error + SLACK * most
    return Zonotope(centre, a + slope * (b - a), box)


def _filled(generators: np.ndarray, count: int) -> np.ndarray:
    missing = count - len(generators)
    if not missing:
        return generators
    return np.concatenate([generators, np.zeros((missing, *generators.shape[1:]))])
