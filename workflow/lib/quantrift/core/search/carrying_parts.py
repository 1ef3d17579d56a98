"""Space and constraint of networks with several inputs: the input that is changed, cut out of rows and put back.

Rows hold the values of all inputs (``quantrift.core.base.carried_rows``). A part that is made for the one that searches
change sees nothing else, and the values behind it stay those of the same seed input, bit for bit.
"""

from typing import Any, cast

import numpy as np

from quantrift.core.base.carried_rows import apart, joined
from quantrift.core.base.errors import QuantriftError
from quantrift.core.search.constraint import Constraint, Measured
from quantrift.core.search.space import Domain, Originals, Space


class _Carrying:
    """A part that is given rows, and gives what it was made for the input that is changed; all else is its own.

    Seed inputs without what is carried are kept: those of the last call are mostly those of the next one, too.
    """

    def __init__(self, part: Any, image: tuple[int, int, int]) -> None:
        """``part`` is made for (H, W, C), ``image``."""
        self._part, self._image = part, image
        self._last: tuple[Originals, Originals, np.ndarray] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._part, name)

    def _apart(self, originals: Originals) -> tuple[Originals, np.ndarray]:
        """The changed inputs, and the carried values, float32 (m, l)."""
        if self._last is None or self._last[0] is not originals:
            images, carried = apart(originals.inputs, self._image)
            self._last = originals, Originals(images), carried
        return self._last[1:]


class _CarryingSpace(_Carrying):
    """A space of changes of one input; decoded inputs are rows."""

    def decode(self, candidates: np.ndarray, originals: Originals, rows: np.ndarray) -> np.ndarray:
        """Rows, float32 (n, 1, 1, L); see :class:`quantrift.core.search.space.Space`."""
        own, carried = self._apart(originals)
        return joined(self._part.decode(candidates, own, rows), [carried[rows]])


class _CarryingConstraint(_Carrying):
    """A constraint on the input that is changed."""

    def measure(self, inputs: np.ndarray, originals: Originals, rows: np.ndarray) -> Measured:
        """See :class:`quantrift.core.search.constraint.Constraint`; ``inputs`` are rows."""
        return cast(Measured, self._part.measure(apart(inputs, self._image)[0], self._apart(originals)[0], rows))

    def fallback(self, originals: Originals) -> np.ndarray:
        """See :class:`quantrift.core.search.constraint.Constraint`."""
        return cast(np.ndarray, self._part.fallback(self._apart(originals)[0]))


def carrying_space(space: Space, domain: Domain) -> Space:
    """The space for rows where others are carried along with each input; else itself.

    Raises:
        QuantriftError: its candidates are inputs, which searchers change value by value.
    """
    if domain.carried and not space.distortions:
        raise QuantriftError(
            "tools that change single values take networks of one input; take one of natural changes for these"
        )
    return cast(Space, _CarryingSpace(space, domain.shape)) if domain.carried else space


def carrying_constraint(constraint: Constraint, domain: Domain) -> Constraint:
    """The constraint for rows where others are carried along with each input; else itself."""
    return cast(Constraint, _CarryingConstraint(constraint, domain.shape)) if domain.carried else constraint
