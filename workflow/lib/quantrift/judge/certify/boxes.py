"""Interface of neighbourhoods that are boxes of an image's values, too large to enumerate."""

from abc import ABC, abstractmethod

import numpy as np

from quantrift.judge.certify.bounds.image_box import ImageBox


class Boxes(ABC):
    """Images that lie in at least one of some boxes, numbered 0 to ``size - 1``, around an image of a shape."""

    def __init__(self, text: str, size: int) -> None:
        """Takes the neighbourhood as a user writes it, with every default filled in, and the number of its boxes."""
        self.text = text
        self.size = size

    @abstractmethod
    def box(self, image: np.ndarray, number: int) -> ImageBox:
        """A box around an image, uint8 (H, W, C); the image lies in it."""

    def contains(self, image: np.ndarray, member: np.ndarray) -> bool:
        """Whether another image, uint8 (H, W, C), is a member of the neighbourhood of an image."""
        return any(self.box(image, number).contains(member) for number in range(self.size))
