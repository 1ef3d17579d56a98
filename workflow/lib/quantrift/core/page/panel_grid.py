"""Panels of equal size in rows, and curves that step up where something is reached."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quantrift.core.page import drawing as mpl


@dataclass(frozen=True)
class Grid:
    """Layout of at least one panel; to be drawn within the settings of ``page.style``."""

    count: int
    most: int
    """Largest number of panels side by side."""

    @property
    def width(self) -> int:
        """Panels side by side."""
        return min(self.most, self.count)

    @property
    def height(self) -> int:
        """Rows."""
        return -(-self.count // self.width)

    def drawn(self, size: tuple[float, float], label: str | None = None) -> tuple[mpl.Figure, list[mpl.Axes]]:
        """A figure of this size, in inches, with its panels row by row; ``label`` stands left of each row."""
        figure = mpl.Figure(figsize=size, layout="constrained")
        axes: np.ndarray = figure.subplots(self.height, self.width, squeeze=False).ravel()
        for unused in axes[self.count :]:
            unused.set_visible(False)
        if label:
            for start in range(0, self.count, self.width):
                axes[start].set_ylabel(label)
        return figure, axes[: self.count].tolist()


def steps(reached: np.ndarray, total: int, first: float, last: float) -> tuple[np.ndarray, np.ndarray]:
    """Curve that steps up: places, ascending, and the share that is reached by then, from ``first`` to ``last``.

    Args:
        reached: where each was reached, (k,); each at ``first`` or later.
        total: how many could be, at least k.
        first: where the curve begins.
        last: where it ends.
    """
    places, counts = np.unique(reached, return_counts=True)
    shares = np.cumsum(counts) / total
    end = shares[-1] if len(shares) else 0.0
    start = [] if len(places) and places[0] == first else [first]
    return np.array([*start, *places, last]), np.array([*[0.0] * len(start), *shares, end])
