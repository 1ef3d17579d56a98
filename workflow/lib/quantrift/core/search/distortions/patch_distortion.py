"""Interface of distortions of hyperspectral patches, and the one lookup by which they are rotated and zoomed."""

from dataclasses import dataclass

import numpy as np

from quantrift.core.search.distortions.genes import Distortion, Gene, Setting, Shape
from quantrift.core.search.space import Originals


@dataclass(frozen=True, eq=False)
class Batch:
    """The candidates of a wave in which one distortion is active."""

    genes: np.ndarray
    """float32 (k, length), integer genes already rounded."""
    rows: np.ndarray
    """int (k,): the candidate's place in ``patches``."""
    lines: np.ndarray
    """bool (k,): the shared mode gene, True for lines (rows of the patch), False for columns."""
    patches: np.ndarray
    """float32 (n, H, W, B), C-contiguous, distorted in place."""
    originals: Originals
    source: np.ndarray
    """int (k,): the seed input among ``originals`` that the candidate distorts."""

    @property
    def pixels(self) -> np.ndarray:
        """The patches as rows of spectra, float32 (n * H * W, B)."""
        return self.patches.reshape(-1, self.patches.shape[3])

    @property
    def minimum(self) -> np.ndarray:
        """Smallest value of the original patch, float32 (k,)."""
        return self.originals.minimum[self.source]

    @property
    def maximum(self) -> np.ndarray:
        """Largest value of the original patch, float32 (k,)."""
        return self.originals.maximum[self.source]

    def places(self, pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Some pixels as rows of ``self.pixels``.

        Args:
            pixels: bool (k, H, W) or (k, H * W).

        Returns:
            The candidate (m,) among the k and the row (m,) of each pixel that is True, in order.
        """
        size = pixels[0].size
        hit = np.flatnonzero(pixels)
        k = hit // size
        return k, hit + (self.rows - np.arange(len(self.rows)))[k] * size


class Radiometric(Distortion):
    """Alters values of pixels (DiverGet §4.3 (i)): ``apply(batch)`` distorts the batch's patches in place."""


class Geometric(Distortion):
    """Turns or scales the grid of pixels about the patch's centre (DiverGet §4.3 (i)).

    ``apply(genes)``, float32 (k, length), says where each pixel's value comes from. It returns, complex128 (k,), the
    factor that takes a pixel's offset from the centre, columns + i lines, to the offset of the pixel it is copied from.
    Factors of several distortions about one centre multiply. All keep the same centre, so their order does not matter,
    and a patch that is turned and zoomed is resampled once, by nearest neighbour, with one rounding where one lookup
    after the other would round twice (chosen).
    """


def centre(setting: Setting) -> list[Gene]:
    """Column x and line y of the centre: fixed, so that no search moves them (the authors' earlier tool)."""
    height, width, _ = setting.shape
    return [Gene(middle, middle, integer=False) for middle in ((width - 1) / 2, (height - 1) / 2)]


def turned_places(turn: np.ndarray, patch: Shape) -> tuple[np.ndarray, np.ndarray]:
    """Which pixel each pixel of a turned patch is copied from.

    Args:
        turn: complex128 (k,), see :class:`Geometric`.
        patch: (H, W, B).

    Returns:
        Lines and columns, int (k, H, W), counted from the patch's first pixel; they may lie outside.
    """
    middle_y, middle_x = ((side - 1) / 2 for side in patch[:2])
    y, x = np.arange(patch[0]) - middle_y, np.arange(patch[1]) - middle_x
    real, imaginary = np.ascontiguousarray(turn.real)[:, None], np.ascontiguousarray(turn.imag)[:, None]
    # (real + i imaginary) (x + i y), plus the centre, and a half so that floor gives the nearest pixel.
    down = (real * y + (middle_y + 0.5))[:, :, None] + (imaginary * x)[:, None, :]
    right = (middle_x + 0.5 - imaginary * y)[:, :, None] + (real * x)[:, None, :]
    return np.floor(down, out=down).astype(np.intp), np.floor(right, out=right).astype(np.intp)
