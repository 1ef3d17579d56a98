"""Zonotopes: sets of arrays that linear maps keep exact, and that ReLU, maximum and rounding enclose.

The transformers of ReLU are those of DeepZ (Singh et al., Fast and effective robustness certification, 2018).
"""

from dataclasses import dataclass

import numpy as np

from quantrift.judge.certify.bounds.layers import LinearMap

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
        return np.abs(self.generators).sum(axis=0) + self.box

    @property
    def low(self) -> np.ndarray:
        """Lower bound of each number."""
        radius = self.radius
        return self.centre - radius - SLACK * (np.abs(self.centre) + radius)

    @property
    def high(self) -> np.ndarray:
        """Upper bound of each number."""
        radius = self.radius
        return self.centre + radius + SLACK * (np.abs(self.centre) + radius)

    @property
    def most(self) -> np.ndarray:
        """Largest magnitude of each number."""
        return np.maximum(np.abs(self.low), np.abs(self.high))

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
        magnitudes = linear.magnitudes()
        # Our own rounding: relative to the sum of magnitudes, not to a result that may cancel.
        most = magnitudes((np.abs(self.centre) + self.radius)[None])[0] + np.abs(bias)
        return Zonotope(
            linear(self.centre[None])[0] + bias,
            linear(np.concatenate([self.generators, own.reshape(-1, *self.box.shape)])),
            magnitudes(rest.reshape(1, *self.box.shape))[0] + SLACK * most,
        )

    def flat(self) -> "Zonotope":
        """The set of the arrays in one row, in the order of memory."""
        return Zonotope(self.centre.ravel(), self.generators.reshape(-1, self.centre.size), self.box.ravel())

    def taken(self, part: tuple[slice, ...]) -> "Zonotope":
        """The set of parts of the arrays."""
        return Zonotope(self.centre[part], self.generators[:, *part], self.box[part])

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
        zeros = np.zeros_like(self.centre)
        return larger(Zonotope(zeros, zeros[None][:0], zeros), self)


def larger(first: Zonotope, second: Zonotope) -> Zonotope:
    """A set that holds the larger number of each pair; both sets share their generators, as far as each has them.

    max(a, b) = a + relu(b - a), and relu(d) of d in [l, u] lies in k d + [0, -k l] with k = u / (u - l).
    """
    count = max(len(first.generators), len(second.generators))
    missing = [[(0, count - len(one.generators)), *[(0, 0)] * one.centre.ndim] for one in (first, second)]
    a, b = (np.pad(one.generators, zeros) for one, zeros in zip((first, second), missing, strict=True))
    difference = Zonotope(second.centre - first.centre, b - a, first.box + second.box)
    low, high = difference.low, difference.high
    between = (low < 0) & (high > 0)
    slope = np.where(between, high / np.where(between, high - low, 1), (low >= 0).astype(float))
    error = np.where(between, -slope * low / 2, 0)
    # Rounding of the slope, and of everything computed with it.
    most = np.abs(first.centre) + np.abs(second.centre) + first.radius + second.radius
    return Zonotope(
        first.centre + slope * difference.centre + error,
        a + slope * (b - a),
        (1 - slope) * first.box + slope * second.box + error + SLACK * most,
    )
