"""The space of natural distortions of images: what light, lenses, hands and sensors do, and what they do together.

A candidate is one flat vector, as DiverGet's are: a block for each distortion, an activation gene followed by its
parameters, bounded by the distortion's strength. Blocks apply in the order of ``ORDER``, that in which an image comes
about. Full ranges are chosen wide; a calibration narrows each distortion until its images are meaningful, as DiverGet
does (§4.3 (ii)). Where a network wants the channels of images on scales of their own, the image is distorted between
black and white, 0 and 1 in every channel, and scaled for the network after that.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from annotated_types import Ge, Gt, Le

from quantrift.search import natural
from quantrift.search.distortions import base
from quantrift.search.distortions.base import ON_OFF, Gene
from quantrift.search.space import Domain, Originals
from quantrift.search.spaces.pixels import Grid

SHIFT = 0.2
"""Share of the longer side that an image is shifted by at most, down and right."""
DEGREES = 45.0
ZOOM = 0.5
"""Doublings of lengths at most: from 0.71 to 1.41 times."""
SIGMA = 2.0
"""Pixels."""
CONTRAST = 1.0
"""Doublings of the distances from the image's mean: from half to twice."""
BRIGHTNESS = 0.5
"""Share of the range of values."""
NOISE = 0.25
"""Standard deviation, as a share of the range of values."""
PATTERNS = 2**16
"""Patterns of noise that there are."""
MOVED = 64
"""Images resampled at once: few enough to stay in the processor's caches."""


def _genes(strength: float, side: int) -> dict[str, list[Gene]]:
    def around(reach: float) -> Gene:
        return Gene(-reach * strength, reach * strength, integer=False)

    return {
        "shift": [around(SHIFT * side), around(SHIFT * side)],
        "rotation": [around(DEGREES)],
        "zoom": [around(ZOOM)],
        "blur": [Gene(0, SIGMA * strength, integer=False)],
        "contrast": [around(CONTRAST)],
        "brightness": [around(BRIGHTNESS)],
        "noise": [Gene(0, NOISE * strength, integer=False), Gene(0, PATTERNS - 1)],
    }


ORDER = tuple(_genes(1, 1))
"""Names of all distortions, in the order in which they apply; the first three are one lookup."""


@dataclass(frozen=True)
class Params:
    """Settings of the space."""

    distortions: tuple[str, ...] | None = None
    """Distortions that may be active, whatever order they are given in; all by default."""
    strengths: Mapping[str, Annotated[float, Gt(0), Le(1)]] = field(default_factory=dict)
    """Share of a distortion's full range, 1 for those that are not named."""
    levels: Annotated[int, Ge(2), Le(65536)] | None = 256
    """Values that a decoded image takes, evenly spaced over the range of the dataset: 256, as files hold them. None:
    any value in the range, for inputs that are on no grid."""

    def __post_init__(self) -> None:
        named = ORDER if self.distortions is None else tuple(self.distortions)
        if not named or (unknown := [name for name in (*named, *self.strengths) if name not in ORDER]):
            raise ValueError(f"distortions must be some of {', '.join(ORDER)}, got {', '.join(unknown) or 'none'}")
        object.__setattr__(self, "distortions", tuple(name for name in ORDER if name in named))


@dataclass(frozen=True)
class Block:
    """Where a distortion's genes stand in the vector."""

    name: str
    activation: int
    """Place of the activation gene; the parameters follow."""


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


class ImageDistortions:
    """The vectors that distort images of one shape with values in one range, or in one for each channel."""

    def __init__(self, params: Params, domain: Domain) -> None:
        low, high = domain.bounds
        self._own = Own(low, high - low) if domain.channels else None
        unit = Domain(domain.shape, 0.0, 1.0)
        self._low, self._high = (unit if domain.channels else domain).bounds
        self._span = self._high - self._low
        self._grids = None
        if params.levels is not None:
            self._grids = Grid(self._low, self._span, params.levels), Grid(low, high - low, params.levels)
        self.blocks: list[Block] = []
        genes: list[Gene] = []
        for name in params.distortions or ():
            own = _genes(params.strengths.get(name, 1), max(domain.shape[:2]))[name]
            self.blocks.append(Block(name, len(genes)))
            genes += [ON_OFF, *own]
        self.lower, self.upper, self.integer = base.bounds(genes)
        self.shape: tuple[int, ...] = self.lower.shape
        self.distortions = tuple(block.name for block in self.blocks)
        self._places = {block.name: block.activation for block in self.blocks}

    def active(self, candidates: np.ndarray) -> np.ndarray:
        """Which blocks are switched on; see :class:`quantrift.search.space.Space`."""
        return base.switched_on(candidates, [block.activation for block in self.blocks])

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """N random vectors, float32 (n, length): switches by coin, parameters anywhere between their bounds."""
        return base.uniform((self.lower, self.upper), self.integer, n, rng)

    def decode(self, candidates: np.ndarray, originals: Originals, rows: np.ndarray) -> np.ndarray:
        """Distort copies of the seed inputs; see :class:`quantrift.search.space.Space`."""
        vectors = candidates.astype(np.float64)
        vectors[:, self.integer] = np.rint(vectors[:, self.integer])
        if self._own is not None:
            originals = self._own.plain(originals)
        images = originals.inputs[rows]
        self._move(vectors, images)
        if len(on := self._on(vectors, "blur")):
            images[on] = natural.blurred(images[on], self._of("blur", vectors)[on, 0])
        if len(on := self._on(vectors, "contrast")):
            factors = np.array([2.0**one for one in self._of("contrast", vectors)[on, 0].tolist()], np.float32)
            mean = originals.mean[rows[on]].astype(np.float32)[:, None, None, None]
            images[on] = (images[on] - mean) * factors[:, None, None, None] + mean
        if len(on := self._on(vectors, "brightness")):
            images[on] += self._share(self._of("brightness", vectors)[on, 0])
        if len(on := self._on(vectors, "noise")):
            genes = self._of("noise", vectors)[on]
            images[on] += self._share(genes[:, 0]) * natural.noise(images.shape[1:], genes[:, 1].astype(np.int64))
        np.clip(images, self._low, self._high, out=images)
        if self._grids is None:
            return images if self._own is None else self._own.scaled(images)
        distorted, wanted = self._grids
        levels = distorted.place(images)
        return wanted.values(np.rint(levels, out=levels))

    def _move(self, vectors: np.ndarray, images: np.ndarray) -> None:
        """Shift, turn and zoom images in place."""
        shift, degrees, doublings = (np.zeros((len(vectors), count)) for count in (2, 1, 1))
        for name, values in (("shift", shift), ("rotation", degrees), ("zoom", doublings)):
            if len(on := self._on(vectors, name)):
                values[on] = self._of(name, vectors)[on, : values.shape[1]]
        zoom = np.array([2.0**one for one in doublings[:, 0].tolist()])
        [on] = np.nonzero(shift.any(axis=1) | degrees.any(axis=1) | doublings.any(axis=1))
        for start in range(0, len(on), MOVED):
            now = on[start : start + MOVED]
            images[now] = natural.moved(images[now], shift[now], degrees[now, 0], zoom[now])

    def _on(self, vectors: np.ndarray, name: str) -> np.ndarray:
        """Rows of the vectors in which a distortion is switched on; none where the space does not have it."""
        if name not in self._places:
            return np.empty(0, np.intp)
        return np.flatnonzero(vectors[:, self._places[name]] == 1)

    def _of(self, name: str, vectors: np.ndarray) -> np.ndarray:
        """What follows the switch of a distortion."""
        return vectors[:, self._places[name] + 1 :]

    def _share(self, shares: np.ndarray) -> np.ndarray:
        """Shares (k,) of the range of values, for images: float32 (k, 1, 1, 1)."""
        return (shares.astype(np.float32) * self._span)[:, None, None, None]


def bind(params: Params, domain: Domain) -> ImageDistortions:
    """The space for the images of a dataset."""
    return ImageDistortions(params, domain)
