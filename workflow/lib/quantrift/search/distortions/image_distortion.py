"""Interface of distortions of images.

Each image depends on itself and its own parameters alone: nothing here reduces or multiplies across images, and
functions whose last bits depend on a number's place in an array are called one by one.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from quantrift.search.distortions.affine import Affine
from quantrift.search.distortions.compound import Distortion
from quantrift.search.space import Originals


@dataclass(frozen=True, eq=False)
class Batch:
    """The candidates of a wave in which one distortion is active."""

    genes: np.ndarray
    """float32 (k, length), integer genes already rounded."""
    images: np.ndarray
    """float32 (k, H, W, C), as earlier distortions left them; a distortion may overwrite them."""
    originals: Originals
    source: np.ndarray
    """int (k,): the seed input among ``originals`` that the candidate distorts."""
    span: np.ndarray
    """Range of values, white less black: float32 ()."""


class Radiometric(Distortion, ABC):
    """Alters values of images."""

    @abstractmethod
    def apply(self, batch: Batch) -> np.ndarray:
        """The distorted images, float32 (k, H, W, C)."""


class Geometric(Distortion, ABC):
    """Moves images; what several of them do is one lookup."""

    @abstractmethod
    def move(self, genes: np.ndarray, affine: Affine, on: np.ndarray) -> None:
        """Add to where images are looked up, in place.

        Args:
            genes: float32 (k, length).
            affine: of all images.
            on: int (k,), those to be moved.
        """
