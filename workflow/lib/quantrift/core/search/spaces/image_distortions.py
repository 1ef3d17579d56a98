"""The space of natural distortions of images: changes by light, lenses, hands and sensors, alone and together.

A candidate is one flat vector, as DiverGet's are: a block for each distortion, an activation gene followed by its
parameters, bounded by the distortion's strength. They apply in the order in which an image comes about; those that move
the image come first and are one lookup. Full ranges are chosen wide; a calibration narrows each distortion until its
images are meaningful, as DiverGet does (§4.3 (ii)). Where a network wants the channels of images on scales of their
own, the image is distorted between black and white, 0 and 1 in every channel, and scaled for the network after that.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated

import numpy as np
from annotated_types import Ge, Gt, Le

from quantrift.core.search.distortions import compound
from quantrift.core.search.distortions.compound import Compound, of_folder
from quantrift.core.search.distortions.genes import Setting
from quantrift.core.search.distortions.image_distortion import Affine, Batch, Fault, Geometric, Radiometric, move, moved
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


class ImageDistortions(Compound):
    """The vectors that distort images of one shape with values in one range, or in one for each channel."""

    def __init__(self, params: Params, domain: Domain) -> None:
        super().__init__("images", params, partial(Setting, domain.shape))
        low, high = domain.bounds
        self._given = low, high - low
        """Black, and white less black, of the images as the network takes them: float32 () each, or (C,)."""
        self._low, self._high = (Domain(domain.shape, 0.0, 1.0) if domain.channels else domain).bounds
        """Black and white of the images that are distorted."""
        self._bytes = Grid(*self._given, 256) if domain.channels else None
        """Levels of images whose channels a network wants on scales of their own."""
        self._shown: tuple[Originals, Originals] | None = None
        """Seed inputs decoded last, as a network has them and between black and white."""
        self._grids = None
        if params.levels is not None:
            self._grids = (
                Grid(self._low, self._high - self._low, params.levels),
                # Of a whole line: with three channels alone, numpy computes pixel by pixel.
                Grid(np.resize(low, domain.shape[1:]), np.resize(high - low, domain.shape[1:]), params.levels),
            )

    def decode(self, candidates: np.ndarray, originals: Originals, rows: np.ndarray) -> np.ndarray:
        """Distort copies of the seed inputs; see :class:`quantrift.core.search.space.Space`."""
        vectors = self.rounded(candidates)
        if self._bytes is not None:
            if self._shown is None or self._shown[0] is not originals:
                # Between 0 and 1, as a network that wants images so has them, bit for bit.
                levels = self._bytes.place(originals.inputs)
                np.rint(levels, out=levels)
                levels /= np.float32(255)
                self._shown = originals, Originals(levels)
            originals = self._shown[1]
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
        self._alter(Radiometric, (self._low, self._high - self._low), images, vectors, originals, rows)
        np.clip(images, self._low, self._high, out=images)
        if self._grids is not None:
            distorted, wanted = self._grids
            levels = distorted.place(images, out=images)
            wanted.values(np.rint(levels, out=levels))
        elif self._bytes is not None:
            # Computed as ``ImageStack.take`` does.
            black, span = self._given
            images *= span
            images += black
        self._alter(Fault, self._given, images, vectors, originals, rows)

    def _alter(
        self,
        kind: type[Radiometric | Fault],
        scale: tuple[np.ndarray, np.ndarray],
        images: np.ndarray,
        vectors: np.ndarray,
        originals: Originals,
        rows: np.ndarray,
    ) -> None:
        """Apply distortions of a kind in place; ``scale`` is black, and white less black."""
        black, span = scale
        for distortion, on, genes in self.at_work(vectors, kind):
            own = images if len(on) == len(images) else images[on]
            distortion.apply(Batch(genes, own, originals, rows[on], span, black))
            if own is not images:
                images[on] = own

    def _move(self, vectors: np.ndarray, images: np.ndarray) -> None:
        """Shift, turn and zoom images in place."""
        # At first, images stay where they are.
        affine = Affine(np.tile(np.eye(2), (len(images), 1, 1)), np.zeros((len(images), 2)))
        for distortion, on, genes in self.at_work(vectors, Geometric):
            distortion.apply(genes, affine, on)
        if len(moving := affine.moving) == len(images):
            move(images, affine.matrix, affine.shift)
        elif len(moving):
            images[moving] = moved(images[moving], affine.matrix[moving], affine.shift[moving])


modules = partial(compound.modules, "images")
bind = ImageDistortions
