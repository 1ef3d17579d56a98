"""Interface of distortions of images.

Each image depends on itself and its own parameters alone: nothing here reduces or multiplies across images, and
functions whose last bits depend on a number's place in an array are called one by one.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np

from quantrift.core.search.distortions.affine import Affine
from quantrift.core.search.distortions.compound import Distortion
from quantrift.core.search.space import Originals


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
    """Range of values, white less black: float32 (), or (C,) for faults where channels have scales of their own."""
    black: np.ndarray = field(default_factory=lambda: np.zeros((), np.float32))
    """Least value, likewise."""


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


class Fault(Distortion, ABC):
    """A mistake of the code that feeds a network; no natural distortion.

    It sees images as the network would be given them, and what it makes of them may leave the range of values.
    """

    @abstractmethod
    def apply(self, batch: Batch) -> np.ndarray:
        """The images as the mistake leaves them, float32 (k, H, W, C)."""
