"""Space and constraint of networks with several inputs: the input that is changed, cut out of rows and put back.

Rows hold the values of all inputs (``quantrift.core.base.carried_rows``). A part that is made for the one that searches
change sees nothing else, and the values behind it stay those of the same seed input, bit for bit.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from quantrift.core.base.carried_rows import apart, joined
from quantrift.core.base.errors import QuantriftError
from quantrift.core.search.constraint import Constraint, Measured
from quantrift.core.search.space import Domain, Originals, Space


class _Cut:
    """Seed inputs without what is carried; those of the last call are mostly those of the next one, too."""

    def __init__(self, image: tuple[int, int, int]) -> None:
        self._image = image
        self._last: tuple[Originals, Originals, np.ndarray] | None = None

    def __call__(self, originals: Originals) -> tuple[Originals, np.ndarray]:
        """The changed inputs, and the carried values, float32 (m, l)."""
        if self._last is None or self._last[0] is not originals:
            images, carried = apart(originals.inputs, self._image)
            self._last = originals, Originals(images), carried
        return self._last[1:]


class CarryingSpace:
    """A space of changes of one input; decoded inputs are rows."""

    def __init__(self, space: Any, image: tuple[int, int, int]) -> None:
        """``space`` is made for (H, W, C), ``image``."""
        self._space, self._cut = space, _Cut(image)
        self.shape: tuple[int, ...] = space.shape
        self.lower: np.ndarray = space.lower
        self.upper: np.ndarray = space.upper
        self.integer: np.ndarray = space.integer
        self.distortions: tuple[str, ...] = space.distortions
        self.blocks: Sequence[Any] = getattr(space, "blocks", ())
        """Genes of each distortion, where there are any."""
        self.active, self.sample = space.active, space.sample

    def decode(self, candidates: np.ndarray, originals: Originals, rows: np.ndarray) -> np.ndarray:
        """Rows, float32 (n, 1, 1, L); see :class:`quantrift.core.search.space.Space`."""
        own, carried = self._cut(originals)
        return joined(self._space.decode(candidates, own, rows), [carried[rows]])


class CarryingConstraint(Constraint):
    """A constraint on the input that is changed."""

    def __init__(self, constraint: Constraint, image: tuple[int, int, int]) -> None:
        """``constraint`` is made for (H, W, C), ``image``."""
        self._constraint, self._image, self._cut = constraint, image, _Cut(image)

    def measure(self, inputs: np.ndarray, originals: Originals, rows: np.ndarray) -> Measured:
        """See :class:`quantrift.core.search.constraint.Constraint`; ``inputs`` are rows."""
        return self._constraint.measure(apart(inputs, self._image)[0], self._cut(originals)[0], rows)

    def violation(self, judged: np.ndarray) -> np.ndarray:
        """See :class:`quantrift.core.search.constraint.Constraint`."""
        return self._constraint.violation(judged)

    def fallback(self, originals: Originals) -> np.ndarray:
        """See :class:`quantrift.core.search.constraint.Constraint`."""
        return self._constraint.fallback(self._cut(originals)[0])


def carrying_space(space: Space, domain: Domain) -> Space:
    """The space for rows where others are carried along with each input; else itself.

    Raises:
        QuantriftError: its candidates are inputs, which searchers change value by value.
    """
    if domain.carried and not space.distortions:
        raise QuantriftError(
            "tools that change single values take networks of one input; take one of natural changes for these"
        )
    return CarryingSpace(space, domain.shape) if domain.carried else space


def carrying_constraint(constraint: Constraint, domain: Domain) -> Constraint:
    """The constraint for rows where others are carried along with each input; else itself."""
    return CarryingConstraint(constraint, domain.shape) if domain.carried else constraint
