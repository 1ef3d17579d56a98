"""Interface of distortions of hyperspectral patches."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from quantrift.core.search.distortions.compound import Distortion
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


class Radiometric(Distortion, ABC):
    """Alters values of pixels (DiverGet §4.3 (i))."""

    @abstractmethod
    def apply(self, batch: Batch) -> None:
        """Distort the batch's patches in place."""


class Geometric(Distortion, ABC):
    """Turns or scales the grid of pixels about the patch's centre (DiverGet §4.3 (i))."""

    @abstractmethod
    def turn(self, genes: np.ndarray) -> np.ndarray:
        """Where each pixel's value comes from.

        Args:
            genes: float32 (k, length).

        Returns:
            complex128 (k,): the factor that takes a pixel's offset from the centre, columns + i lines, to the offset
            of the pixel it is copied from. Factors of several distortions about one centre multiply.
        """
