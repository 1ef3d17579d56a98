"""Drop-outs of lines, columns and regions (DiverGet Table 1), and pairs of genes that choose among many.

The values of some pixels, in up to 20 % of the bands, become the smallest or the largest value of the original patch.
"""

from collections.abc import Sequence

import numpy as np

from quantrift.core.search.distortions.genes import ON_OFF, Gene, Setting, share
from quantrift.core.search.distortions.patch_distortion import Batch, Radiometric


def of_lines(setting: Setting, positions: Sequence[Gene] = ()) -> Radiometric:
    """Drop-out along lines: of the places that ``positions``, (place, on) pairs, choose; without any, of all."""
    parts = [lines(setting), bands(setting), positions]

    def apply(batch: Batch) -> None:
        across, of_bands, places, bright = _split(batch, parts)
        fill(batch, along(batch, across, places if positions else None), of_bands, bright[:, 0] == 1)

    return Radiometric([*(gene for part in parts for gene in part), ON_OFF], apply)


def of_region(setting: Setting, chosen: Sequence[Sequence[Gene]] = ()) -> Radiometric:
    """Drop-out of a rectangle: of all its pixels, or where lines and columns are on by their (index, on) pairs.

    Genes are (band, on) pairs, column x and line y of the first corner, width and length, pixel type, then ``chosen``.
    """
    height, width, _ = setting.shape
    corner = [Gene(0, width - 1), Gene(0, height - 1)]
    size = [Gene(0, share(setting.strength, side - 1)) for side in (width, height)]
    parts = [bands(setting), [*corner, *size], [ON_OFF], *chosen]

    def apply(batch: Batch) -> None:
        of_bands, rectangle, bright, *switches = _split(batch, parts[:-1])
        inside = _sides(batch, rectangle)
        for side, switched in zip(inside, switches, strict=False):
            side &= mask(switched, side.shape[1])
        fill(batch, inside[0][:, :, None] & inside[1][:, None, :], of_bands, bright[:, 0] == 1)

    return Radiometric([gene for part in parts for gene in part], apply)


def _split(batch: Batch, parts: Sequence[Sequence[Gene]]) -> list[np.ndarray]:
    """Genes of a batch as whole numbers, int (k, ...) of each part, and those behind the parts."""
    return np.split(batch.genes.astype(np.intp), np.cumsum([len(part) for part in parts]), axis=1)


def _sides(batch: Batch, rectangle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lines and columns of [x, x + width) x [y, y + length), clipped to the patch.

    Args:
        batch: k candidates.
        rectangle: int (k, 4): x, y, width, length.

    Returns:
        bool (k, H) and bool (k, W).
    """
    down, right = (np.arange(side) for side in batch.patches.shape[1:3])
    x, y, wide, long = rectangle.T[:, :, None]
    return (down >= y) & (down < y + long), (right >= x) & (right < x + wide)


def mask(pairs: np.ndarray, size: int) -> np.ndarray:
    """Mask of what at least one (index, on/off) pair switches on.

    Args:
        pairs: int (k, 2 * count), index and switch in turn; what lies at or beyond ``size`` chooses nothing.
        size: number of things to choose among.

    Returns:
        bool (k, size).
    """
    # One place more takes all that is not chosen.
    chosen = np.zeros((len(pairs), size + 1), bool)
    index = np.where(pairs[:, 1::2] == 1, pairs[:, 0::2], size)
    chosen[np.arange(len(pairs))[:, None], np.minimum(index, size, out=index)] = True
    return chosen[:, :size]


def lines(setting: Setting) -> list[Gene]:
    """(line, on) pairs, of at most 20 % of the lines or columns at once (the authors' earlier tool).

    The longer side counts; indices beyond the shorter one choose nothing (chosen).
    """
    longest = max(setting.shape[:2])
    return [Gene(0, longest - 1), ON_OFF] * share(0.2 * setting.strength, longest)


def bands(setting: Setting) -> list[Gene]:
    """(band, on) pairs, of at most 20 % of the bands at once (the authors' earlier tool)."""
    return [Gene(0, setting.shape[2] - 1), ON_OFF] * share(0.2 * setting.strength, setting.shape[2])


def along(batch: Batch, line_pairs: np.ndarray, position_pairs: np.ndarray | None = None) -> np.ndarray:
    """Pixels on the chosen lines or columns, by the shared mode gene.

    Args:
        batch: k candidates.
        line_pairs: int (k, 2 * lines).
        position_pairs: int (k, 2 * positions), the places along each line; None for all.

    Returns:
        bool (k, H, W).
    """
    _, height, width, _ = batch.patches.shape
    longest = max(height, width)
    across = mask(line_pairs, longest)
    position = np.ones((1, longest), bool) if position_pairs is None else mask(position_pairs, longest)
    mode = batch.lines[:, None]
    down, right = np.where(mode, across, position), np.where(mode, position, across)
    return down[:, :height, None] & right[:, None, :width]


def fill(batch: Batch, pixels: np.ndarray, band_pairs: np.ndarray, bright: np.ndarray) -> None:
    """Write the patch's extreme value to some pixels in the chosen bands.

    Args:
        batch: k candidates.
        pixels: bool (k, H, W).
        band_pairs: int (k, 2 * bands).
        bright: bool (k,): the largest value, else the smallest.
    """
    k, places = batch.places(pixels)
    on = (band_pairs[:, 1::2] == 1)[k]
    values = places[:, None] * batch.patches.shape[3] + band_pairs[k, 0::2]
    extreme = np.where(bright, batch.maximum, batch.minimum)
    # Two genes may choose the same value; both write the same.
    batch.patches.reshape(-1)[values[on]] = np.broadcast_to(extreme[k, None], on.shape)[on]
