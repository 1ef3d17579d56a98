"""The space of natural distortions of images: changes by light, lenses, hands and sensors, alone and together.

A candidate is one flat vector, as DiverGet's are: a block for each distortion, an activation gene followed by its
parameters, bounded by the distortion's strength. They apply in the order in which an image comes about; those that move
the image come first and are one lookup. Full ranges are chosen wide; a calibration narrows each distortion until its
images are meaningful, as DiverGet does (§4.3 (ii)). Where a network wants the channels of images on scales of their
own, the image is distorted between black and white, 0 and 1 in every channel, and scaled for the network after that.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from annotated_types import Ge, Gt, Le

from quantrift.core.search.distortions.affine import Affine, move, moved
from quantrift.core.search.distortions.compound import Compound
from quantrift.core.search.distortions.folders import module_name, of_folder
from quantrift.core.search.distortions.genes import Setting
from quantrift.core.search.distortions.image_distortion import Batch, Fault, Geometric, Radiometric
from quantrift.core.search.space import Domain, Originals
from quantrift.core.search.spaces.pixels import Grid

TOGETHER = 2**17
"""Values decoded at once, or one image: few enough to stay in the processor's caches."""


@dataclass(frozen=True)
class Params:
    """Settings of the space."""

    distortions: tuple[str, ...] | None = None
    """Distortions that may be active, whatever order they are given in; those that say so by default. The name of a
    group stands for its distortions: ``default``, ``corruptions``, ``pipeline_faults``."""
    strengths: Mapping[str, Annotated[float, Gt(0), Le(1)]] = field(default_factory=dict)
    """Share of a distortion's full range, 1 for those that are not named."""
    levels: Annotated[int, Ge(2), Le(65536)] | None = 256
    """Values that a decoded image takes, evenly spaced over the range of the dataset: 256, as files hold them. None:
    any value in the range, for inputs that are on no grid."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "distortions", of_folder("images", self.distortions, self.strengths))


class Own:
    """Images of 8 bits whose channels a network wants on scales of their own."""

    def __init__(self, low: np.ndarray, span: np.ndarray) -> None:
        """Takes black, and white less black, of each channel: float32 (C,)."""
        self._low, self._span = low, span
        self._bytes = Grid(low, span, 256)

    def plain(self, originals: Originals) -> Originals:
        """The same images between 0 and 1, as a network that wants them so has them, bit for bit."""
        levels = self._bytes.place(originals.inputs)
        np.rint(levels, out=levels)
        levels /= np.float32(255)
        return Originals(levels)

    def scaled(self, images: np.ndarray) -> np.ndarray:
        """Images between 0 and 1 as the network wants them, computed in place and as ``ImageStack.take`` does."""
        images *= self._span
        images += self._low
        return images


class ImageDistortions(Compound):
    """The vectors that distort images of one shape with values in one range, or in one for each channel."""

    def __init__(self, params: Params, domain: Domain) -> None:
        low, high = domain.bounds
        self._own = Own(low, high - low) if domain.channels else None
        self._given = low, high - low
        unit = Domain(domain.shape, 0.0, 1.0)
        self._low, self._high = (unit if domain.channels else domain).bounds
        self._span = self._high - self._low
        self._grids = None
        if params.levels is not None:
            self._grids = Grid(self._low, self._span, params.levels), Grid(low, high - low, params.levels)
        names = params.distortions or ()
        super().__init__("images", {name: Setting(domain.shape, params.strengths.get(name, 1)) for name in names})

    def decode(self, candidates: np.ndarray, originals: Originals, rows: np.ndarray) -> np.ndarray:
        """Distort copies of the seed inputs; see :class:`quantrift.core.search.space.Space`."""
        vectors = self.rounded(candidates)
        if self._own is not None:
            originals = self._own.plain(originals)
        images = np.empty((len(rows), *originals.inputs.shape[1:]), np.float32)
        count = max(1, TOGETHER // images[0].size) if len(images) else 1
        for start in range(0, len(images), count):
            now = slice(start, start + count)
            np.take(originals.inputs, rows[now], axis=0, out=images[now])
            self._distort(images[now], vectors[now], originals, rows[now])
        return images

    def _distort(self, images: np.ndarray, vectors: np.ndarray, originals: Originals, rows: np.ndarray) -> None:
        """Distort some seed inputs in place, by rounded vectors."""
        self._move(vectors, images)
        for distortion, on, genes in self.at_work(vectors, Radiometric):
            own = images if len(on) == len(images) else images[on]
            found = distortion.apply(Batch(genes, own, originals, rows[on], self._span, self._low))
            if found is not images:
                images[on] = found
        np.clip(images, self._low, self._high, out=images)
        if self._grids is not None:
            distorted, wanted = self._grids
            levels = distorted.place(images, out=images)
            wanted.values(np.rint(levels, out=levels))
        elif self._own is not None:
            self._own.scaled(images)
        black, span = self._given
        for fault, on, genes in self.at_work(vectors, Fault):
            images[on] = fault.apply(Batch(genes, images[on], originals, rows[on], span, black))

    def _move(self, vectors: np.ndarray, images: np.ndarray) -> None:
        """Shift, turn and zoom images in place."""
        affine = Affine.of_nothing(len(images))
        for distortion, on, genes in self.at_work(vectors, Geometric):
            distortion.move(genes, affine, on)
        if len(moving := affine.moving) == len(images):
            move(images, affine.matrix, affine.shift)
        elif len(moving):
            images[moving] = moved(images[moving], affine.matrix[moving], affine.shift[moving])


def modules(params: Params) -> list[str]:
    """Modules that the space loads by name; a change of one reruns the searches in this space."""
    return [module_name("images", name) for name in params.distortions or ()]


def bind(params: Params, domain: Domain) -> ImageDistortions:
    """The space for the images of a dataset."""
    return ImageDistortions(params, domain)
