"""Neighbourhoods made by the distortions of images that searches use, on a grid of their parameters."""

from collections.abc import Mapping

import numpy as np

from quantrift.core.search.neighbourhood import Grid, Shape
from quantrift.core.search.space import Domain, Originals
from quantrift.core.search.spaces import image_distortions, pixels


class Distorted(Grid):
    """One distortion at all values of its parameters on a grid."""

    def __init__(
        self, text: str, axes: Mapping[str, np.ndarray], distortion: str, shape: Shape, unit: float = 1
    ) -> None:
        """A neighbourhood of images.

        Args:
            text: see :class:`quantrift.core.search.neighbourhood.Neighbourhood`.
            axes: values of each parameter, in the order of the distortion's genes.
            distortion: name of a module of ``quantrift.core.search.distortions.images``.
            shape: of an image.
            unit: a gene is a parameter divided by it.
        """
        super().__init__(text, axes)
        # Between black and white, 0 and 1; networks get their own scale afterwards.
        domain = Domain(shape, 0.0, 1.0)
        self._space = image_distortions.bind(image_distortions.Params(distortions=(distortion,)), domain)
        self._pixels = pixels.bind(pixels.Params(), domain)
        self._unit = unit

    def apply(self, images: np.ndarray, parameters: np.ndarray) -> np.ndarray:
        """See :class:`quantrift.core.search.neighbourhood.Neighbourhood`."""
        [block] = self._space.blocks
        vectors = np.zeros((len(images), *self._space.shape), np.float32)
        vectors[:, block.activation] = 1
        vectors[:, block.genes] = parameters / self._unit
        originals = Originals(self._pixels.of_levels(images))
        return self._pixels.levels(self._space.decode(vectors, originals, np.arange(len(images))))
