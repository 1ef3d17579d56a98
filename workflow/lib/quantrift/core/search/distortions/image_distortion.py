"""Interface of distortions of images, and affine maps: images are shifted, turned and zoomed by one lookup.

Each image depends on itself and its own parameters alone: nothing here reduces or multiplies across images, and
functions whose last bits depend on a number's place in an array are called one by one.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import cos, prod, radians, sin

import numpy as np

from quantrift.core.search.distortions.genes import Distortion
from quantrift.core.search.space import Originals


@dataclass(frozen=True, eq=False)
class Batch:
    """The candidates of a wave in which one distortion is active."""

    genes: np.ndarray
    """float32 (k, length), integer genes already rounded."""
    images: np.ndarray
    """float32 (k, H, W, C), as earlier distortions left them, distorted in place."""
    originals: Originals
    source: np.ndarray
    """int (k,): the seed input among ``originals`` that the candidate distorts."""
    span: np.ndarray
    """Range of values, white less black: float32 (), or (C,) for faults where channels have scales of their own."""
    black: np.ndarray = field(default_factory=lambda: np.zeros((), np.float32))
    """Least value, likewise."""


class Radiometric(Distortion):
    """Alters values of images: ``apply(batch)`` does so in place."""


class Geometric(Distortion):
    """Moves images; what several of them do is one lookup.

    ``apply(genes, affine, on)`` adds in place to where images are looked up: float32 (k, length), ``Affine`` of all
    images, and those to be moved, int (k,).
    """


class Fault(Distortion):
    """A mistake of the code that feeds a network; no natural distortion. ``apply(batch)`` makes it in place.

    It sees images as the network would be given them, and what it makes of them may leave the range of values.
    """


class WorkArrays:
    """Arrays by name, to compute in; what one holds is lost when it is next asked for.

    They are kept from call to call: the system takes longer to hand out fresh memory than to compute.
    """

    def __init__(self) -> None:
        self._held: dict[str, np.ndarray] = {}

    def get(self, name: str, shape: tuple[int, ...], kind: type[np.generic] = np.float32) -> np.ndarray:
        """An array of any content, C-contiguous, of type ``kind``; each name has one type."""
        size = prod(shape)
        if name not in self._held or self._held[name].size < size:
            self._held[name] = np.empty(size, kind)
        return self._held[name][:size].reshape(shape)


WORK = WorkArrays()
TOGETHER = 2**16
"""Pixels looked up at once: what is computed for them stays in the processor's caches."""


@dataclass(frozen=True, eq=False)
class Affine:
    """Where each image of a batch is looked up; distortions add to it in place."""

    matrix: np.ndarray
    """float64 (n, 2, 2): takes a pixel's offset from the middle, down and right, to that of the place that it is copied
    from. A distortion that comes later multiplies from the right."""
    shift: np.ndarray
    """float64 (n, 2), down and right, in pixels: how far images are moved after all that."""

    def multiply(self, on: np.ndarray, matrices: np.ndarray) -> None:
        """Let matrices, float64 (k, 2, 2), follow on those of some images, int (k,)."""
        # Sums of two products, as the last bits of a matrix product depend on the number of rows.
        self.matrix[on] = (self.matrix[on][:, :, :, None] * matrices[:, None]).sum(axis=2)

    @property
    def moving(self) -> np.ndarray:
        """Images that do not stay as they are, int (m,)."""
        return np.flatnonzero((self.matrix != np.eye(2)).any(axis=(1, 2)) | self.shift.any(axis=1))


def turns(degrees: Iterable[float]) -> np.ndarray:
    """Matrices that turn images counter-clockwise, float64 (k, 2, 2)."""
    # One by one, as numpy's cosine may differ in the last bit with the place in an array.
    return np.array([((cos(angle), sin(angle)), (-sin(angle), cos(angle))) for angle in map(radians, degrees)])


def moved(images: np.ndarray, matrix: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Images (k, H, W, C) after one bilinear lookup, a new array; they go on as their edges are.

    Args:
        images: float32.
        matrix: float64 (k, 2, 2), see :class:`Affine`.
        shift: float64 (k, 2).

    Returns:
        float32, C-contiguous.
    """
    found = images.copy()
    move(found, matrix, shift)
    return found


def move(images: np.ndarray, matrix: np.ndarray, shift: np.ndarray) -> None:
    """Move images as ``moved`` does, in place."""
    count, height, width, channels = images.shape
    if count == 1 and not matrix[0, 0, 1] and not matrix[0, 1, 0]:
        _stretch(images[0], matrix[0].diagonal(), shift[0])
        return
    # Channels apart, as numbers that stand side by side are computed with much faster than triples of them. Each has a
    # line and a column more, which go on as its edges are.
    planes = WORK.get("planes", (channels, count, height + 1, width + 1))
    planes[:, :, :-1, :-1] = np.moveaxis(images, -1, 0)
    planes[:, :, -1], planes[..., -1] = planes[:, :, -2], planes[..., -2]
    y, x = (np.arange(side) - (side - 1) / 2 for side in (height, width))
    y, x = y[None, :, None] - shift[:, 0, None, None], x[None, None, :] - shift[:, 1, None, None]
    (yy, yx), (xy, xx) = matrix.transpose(1, 2, 0)[..., None, None]
    of_image = (np.arange(count) * (height + 1) * (width + 1))[:, None, None]
    together = max(1, TOGETHER // (count * width))
    for start in range(0, height, together):
        now = slice(start, start + together)
        places, down = _between("down", yy * y[:, now], yx * x, height)
        columns, right = _between("right", xx * x, xy * y[:, now], width)
        places *= width + 1
        places += columns
        places += of_image
        first = WORK.get("first", places.shape, np.intp)
        np.copyto(first, places, casting="unsafe")
        for channel, plane in enumerate(planes.reshape(channels, -1)):
            upper = _mixed("upper", plane, first, right)
            lower = _mixed("lower", plane[width + 1 :], first, right)
            lower -= upper
            lower *= down
            np.add(lower, upper, out=images[:, now, :, channel])


def _stretch(image: np.ndarray, factors: np.ndarray, shift: np.ndarray) -> None:
    """The same for one image that is not turned: columns are looked up once for all its lines.

    Args:
        image: float32 (H, W, C).
        factors: of the matrix, down and right, float64 (2,).
        shift: float64 (2,).
    """
    height, width, channels = image.shape
    (lines, down), (columns, right) = (
        _between(name, factor * (np.arange(side) - (side - 1) / 2 - by), np.zeros(1), side)
        for name, factor, by, side in zip(("down", "right"), factors, shift, (height, width), strict=True)
    )
    flat = image.reshape(height, -1)
    places = [np.minimum(columns + step, width - 1)[:, None] * channels + np.arange(channels) for step in (0, 1)]
    one, two = (
        flat.take(place.ravel().astype(np.intp), axis=1, out=WORK.get(name, flat.shape), mode="clip")
        for name, place in zip(("one", "upper"), places, strict=True)
    )
    two -= one
    two *= np.repeat(right, channels)
    two += one
    first = lines.astype(np.intp)
    upper = two.take(first, axis=0, out=one, mode="clip")
    lower = two.take(np.minimum(first + 1, height - 1), axis=0, out=WORK.get("lower", flat.shape), mode="clip")
    lower -= upper
    lower *= down[:, None]
    np.add(lower, upper, out=flat)


def _between(name: str, part: np.ndarray, other: np.ndarray, side: int) -> tuple[np.ndarray, np.ndarray]:
    """The last pixel before each place on a side, whole numbers, and how far the place is from it, float32.

    Args:
        name: of the side.
        part: of the place, from the middle of the side, float64.
        other: the rest of it, float64, of a shape that goes with the other's.
        side: number of pixels.
    """
    shape = np.broadcast_shapes(part.shape, other.shape)
    place = np.add(part, other, out=WORK.get("place", shape, np.float64))
    place += (side - 1) / 2
    np.clip(place, 0, side - 1, out=place)
    before = np.floor(place, out=WORK.get(f"before {name}", shape, np.float64))
    return before, np.subtract(place, before, out=WORK.get(f"share {name}", shape), casting="same_kind")


def _mixed(name: str, plane: np.ndarray, first: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Values between two neighbours in a line.

    Args:
        name: of the result.
        plane: one channel, float32 (n,).
        first: places of the first neighbours in it, int (k, H, W).
        share: of the second neighbour, float32 (k, H, W).
    """
    # All places lie in the plane; the mode spares a copy of the result.
    one = plane.take(first, out=WORK.get("one", first.shape), mode="clip")
    mixed = plane[1:].take(first, out=WORK.get(name, first.shape), mode="clip")
    mixed -= one
    mixed *= share
    mixed += one
    return mixed
