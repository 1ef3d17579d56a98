"""The one lookup by which images are shifted, turned and zoomed at once, as an affine map of places."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import cos, radians, sin

import numpy as np


@dataclass(frozen=True, eq=False)
class Affine:
    """Where each image of a batch is looked up; distortions add to it in place."""

    matrix: np.ndarray
    """float64 (n, 2, 2): takes a pixel's offset from the middle, down and right, to that of the place that it is copied
    from. A distortion that comes later multiplies from the right."""
    shift: np.ndarray
    """float64 (n, 2), down and right, in pixels: how far images are moved after all that."""

    @staticmethod
    def of_nothing(n: int) -> "Affine":
        """Images that stay where they are."""
        return Affine(np.tile(np.eye(2), (n, 1, 1)), np.zeros((n, 2)))

    def multiply(self, on: np.ndarray, matrices: np.ndarray) -> None:
        """Let matrices, float64 (k, 2, 2), follow on those of some images, int (k,)."""
        # Sums of two products, as the last bits of a matrix product depend on the number of rows.
        self.matrix[on] = (self.matrix[on][:, :, :, None] * matrices[:, None]).sum(axis=2)

    @property
    def moving(self) -> np.ndarray:
        """Images that do not stay as they are, int (m,)."""
        return np.flatnonzero((self.matrix != np.eye(2)).any(axis=(1, 2)) | self.shift.any(axis=1))


def turns(degrees: Iterable[float]) -> np.ndarray:
    """Matrices that turn images counter-clockwise, float64 (k, 2, 2)."""
    # One by one, as numpy's cosine may differ in the last bit with the place in an array.
    angles = [radians(angle) for angle in degrees]
    return np.array([((cos(angle), sin(angle)), (-sin(angle), cos(angle))) for angle in angles])


def moved(images: np.ndarray, matrix: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Images (k, H, W, C) after one bilinear lookup; they go on as their edges are.

    Args:
        images: float32.
        matrix: float64 (k, 2, 2), see :class:`Affine`.
        shift: float64 (k, 2).

    Returns:
        float32, C-contiguous.
    """
    count, height, width, channels = images.shape
    y, x = (np.arange(side) - (side - 1) / 2 for side in (height, width))
    y, x = y[None, :, None] - shift[:, 0, None, None], x[None, None, :] - shift[:, 1, None, None]
    (yy, yx), (xy, xx) = matrix.transpose(1, 2, 0)[..., None, None]
    lines, down = _between(yy * y + yx * x + (height - 1) / 2, height)
    columns, right = _between(xx * x + xy * y + (width - 1) / 2, width)
    flat = images.reshape(-1, channels)
    first = (np.arange(count) * height * width)[:, None, None]
    corners = [flat.take(first + line * width + column, axis=0) for line in lines for column in columns]
    upper = corners[0] + (corners[1] - corners[0]) * right
    lower = corners[2] + (corners[3] - corners[2]) * right
    return upper + (lower - upper) * down


def _between(place: np.ndarray, side: int) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
    """The two neighbours of each place on a side, int (k, H, W), and the share of the second, float32 (k, H, W, 1)."""
    place = np.clip(place, 0, side - 1)
    before = np.floor(place).astype(np.intp)
    share = (place - before).astype(np.float32)
    return (before, np.minimum(before + 1, side - 1)), share[..., None]
