"""The centre of rotation and zoom, and the one lookup by which both are done.

Both keep the same centre, so their order does not matter, and a patch that is turned and zoomed is resampled once, by
nearest neighbour, with one rounding where one lookup after the other would round twice (chosen).
"""

import numpy as np

from quantrift.core.search.distortions.genes import Gene, Setting, Shape


def genes(setting: Setting) -> list[Gene]:
    """Column x and line y of the centre: fixed, so that no search moves them (the authors' earlier tool)."""
    height, width, _ = setting.shape
    return [Gene(middle, middle, integer=False) for middle in ((width - 1) / 2, (height - 1) / 2)]


def places(turn: np.ndarray, patch: Shape) -> tuple[np.ndarray, np.ndarray]:
    """Which pixel each pixel of a turned patch is copied from.

    Args:
        turn: complex128 (k,), see :class:`quantrift.core.search.distortions.patch_distortion.Geometric`.
        patch: (H, W, B).

    Returns:
        Lines and columns, int (k, H, W), counted from the patch's first pixel; they may lie outside.
    """
    (y, x), (middle_y, middle_x) = zip(*(_offsets(side) for side in patch[:2]), strict=True)
    real, imaginary = np.ascontiguousarray(turn.real)[:, None], np.ascontiguousarray(turn.imag)[:, None]
    # (real + i imaginary) (x + i y), plus the centre, and a half so that floor gives the nearest pixel.
    down = (real * y + (middle_y + 0.5))[:, :, None] + (imaginary * x)[:, None, :]
    right = (middle_x + 0.5 - imaginary * y)[:, :, None] + (real * x)[:, None, :]
    return np.floor(down, out=down).astype(np.intp), np.floor(right, out=right).astype(np.intp)


def _offsets(side: int) -> tuple[np.ndarray, float]:
    """Distances of the pixels of a side from its middle, float64 (side,), and the middle."""
    middle = (side - 1) / 2
    return np.arange(side) - middle, middle
