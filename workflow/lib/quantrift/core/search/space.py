"""Search spaces: vectors, their decoding into inputs, and the context of an input: its scene, or continued borders."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np

from quantrift.core.base.inputs import Inputs, ScenePatches
from quantrift.core.base.observed_columns import TableColumns

Border = Literal["reflect", "edge", "zero"]
"""Continuation of an image: mirrored at its outermost pixels, with its outermost pixels repeated, or with zeros."""


@dataclass(frozen=True, eq=False)
class Scene:
    """The scene that patches are cut from, and zeros beyond its border, as the patches have them themselves.

    Pixels are read where they stand: neither the scene nor a neighbourhood of a patch is ever copied.
    """

    scene: np.ndarray
    """(rows, columns, C), C-contiguous."""
    first: np.ndarray
    """First pixel of each patch in it, int (m, 2)."""

    def at(self, indices: Sequence[int] | np.ndarray) -> "Scene":
        """The surroundings of some patches by their numbers."""
        return Scene(self.scene, self.first[np.asarray(indices, np.int64)])

    def pixels(self, rows: np.ndarray, down: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Pixels of and around inputs.

        Args:
            rows: int (k,), numbers of the inputs.
            down: int (k, H, W), lines, counted from the first line of the input; its own are 0 .. H - 1.
            right: int (k, H, W), columns, likewise.

        Returns:
            float32 (k, H, W, C).
        """
        line, column = self.first[rows].T[:, :, None, None]
        return _lookup(self.scene, 0, down + line, right + column)


def scene_of(inputs: Inputs) -> Scene | None:
    """The scene that inputs were cut from, if any."""
    if not isinstance(inputs, ScenePatches):
        return None
    return Scene(np.ascontiguousarray(inputs.scene), inputs.positions - inputs.patch // 2)


@dataclass(frozen=True, eq=False)
class Bordered:
    """Images, each continued at its own borders."""

    images: np.ndarray
    """float32 (m, H, W, C), C-contiguous."""
    border: Border

    def pixels(self, rows: np.ndarray, down: np.ndarray, right: np.ndarray) -> np.ndarray:
        """See :class:`Scene`."""
        _, height, width, _ = self.images.shape
        if self.border == "reflect":
            down, right = _reflected(down, height), _reflected(right, width)
        elif self.border == "edge":
            down, right = np.clip(down, 0, height - 1), np.clip(right, 0, width - 1)
        return _lookup(self.images, rows, down, right)


def _reflected(place: np.ndarray, size: int) -> np.ndarray:
    """Places mirrored at both outermost pixels, which are not repeated, as often as it takes; int, in [0, size)."""
    period = max(1, 2 * (size - 1))
    place = place % period
    return np.minimum(place, period - place, out=place) if size > 1 else place


def _lookup(images: np.ndarray, which: np.ndarray | int, line: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Pixels (k, H, W, C) of images (..., height, width, C) by line and column, int (k, H, W); zeros outside."""
    height, width, channels = images.shape[-3:]
    # As unsigned numbers, negative ones are very large: one comparison finds what lies outside on both sides.
    outside = (line.view(np.uintp) >= height) | (column.view(np.uintp) >= width)
    place = line * width
    place += column
    place += np.reshape(np.asarray(which) * (height * width), (-1, 1, 1))
    # Where a pixel lies outside, any other is taken, and overwritten.
    found = images.reshape(-1, channels).take(place, axis=0, mode="clip")
    found.reshape(-1, channels)[np.flatnonzero(outside)] = 0
    return found


@dataclass(frozen=True)
class Domain:
    """Shape and value range of the inputs of a dataset."""

    shape: tuple[int, int, int]
    """(H, W, C)."""
    low: float
    """Least value that inputs take."""
    high: float
    """Greatest value."""
    channels: tuple[tuple[float, float], ...] = ()
    """Least and greatest value of each channel, where channels have scales of their own: 8-bit images that a network
    takes standardised channel by channel, signals and tables. Empty where one scale holds for all."""
    table: TableColumns | None = None
    """Columns of a table; ``None`` of other inputs."""
    carried: int = 0
    """Values of other inputs of the network behind each input, which no search changes."""

    @staticmethod
    def of(inputs: Inputs) -> "Domain":
        """The domain of a dataset as one network sees it."""
        own = inputs.searched
        carried = sum(one[0].size for one in inputs.carried.values())
        return Domain(own.shape, *own.data_range, own.channel_ranges, own.table, carried)

    @staticmethod
    def stated(settings: Mapping[str, Any]) -> "Domain":
        """The domain from its :attr:`settings`."""
        channels = tuple((float(low), float(high)) for low, high in settings.get("channels", ()))
        table = TableColumns.stated(settings["table"]) if settings.get("table") is not None else None
        (height, width, depth), (low, high) = settings["shape"], settings["range"]
        return Domain((height, width, depth), low, high, channels, table, int(settings.get("carried", 0)))

    @property
    def settings(self) -> dict[str, Any]:
        """Plain values that records keep of it."""
        given = {
            "table": None if self.table is None else asdict(self.table),
            "carried": self.carried,
            "channels": self.channels,
        }
        return {"shape": self.shape, "range": (self.low, self.high)} | {
            name: value for name, value in given.items() if value
        }

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Least and greatest value: float32 () each, or (C,) where channels have scales of their own."""
        low, high = np.array(self.channels or (self.low, self.high), np.float32).T
        return low, high

    @property
    def flat_bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The same for inputs as rows: float32 () each, or (H * W * C,)."""
        low, high = self.bounds
        pixels = self.shape[0] * self.shape[1]
        return (np.tile(low, pixels), np.tile(high, pixels)) if self.channels else (low, high)


@dataclass(frozen=True, eq=False)
class Originals:
    """Some seed inputs, with the statistics of each that distortions and constraints need."""

    inputs: np.ndarray
    """float32 (m, H, W, C), C-contiguous."""
    around: Scene | None = None
    """Pixels beyond their borders, where the dataset has them; a space that needs them has a rule for other
    datasets."""

    @staticmethod
    def of(inputs: Inputs, indices: np.ndarray) -> "Originals":
        """Inputs by their numbers (m,) in the dataset, with what lies around them."""
        scene = scene_of(inputs)
        return Originals(inputs.take(indices), scene.at(indices) if scene else None)

    @cached_property
    def flat(self) -> np.ndarray:
        """The inputs as rows, float32 (m, H * W * C)."""
        # A length of -1 would be undefined where there are no inputs.
        return self.inputs.reshape(len(self.inputs), int(np.prod(self.inputs.shape[1:])))

    @cached_property
    def minimum(self) -> np.ndarray:
        """Smallest value of each input, float32 (m,)."""
        return self.flat.min(axis=1)

    @cached_property
    def maximum(self) -> np.ndarray:
        """Largest value of each input, float32 (m,)."""
        return self.flat.max(axis=1)

    @cached_property
    def mean(self) -> np.ndarray:
        """Mean over all values of each input, float64 (m,)."""
        return self.flat.mean(axis=1, dtype=np.float64)

    @cached_property
    def deviation(self) -> np.ndarray:
        """Standard deviation over all values of each input, float64 (m,)."""
        return self.flat.std(axis=1, dtype=np.float64)


class Space(Protocol):
    """Candidates of a search are float32 arrays of ``shape``, each gene between ``lower`` and ``upper``.

    A gene whose bounds are equal is fixed: searchers that move genes leave it out (``Free``).
    """

    shape: tuple[int, ...]
    lower: np.ndarray
    """float32, of ``shape``."""
    upper: np.ndarray
    integer: np.ndarray
    """Genes that are rounded when decoded, bool, of ``shape``."""
    distortions: tuple[str, ...] = ()
    """Names of the distortions that candidates switch on and off, at most 32; empty where there are none."""

    def active(self, candidates: np.ndarray) -> np.ndarray:
        """Active distortions of candidates (n, *shape): uint32 (n,), bit i for the i-th of ``distortions``."""
        return np.zeros(len(candidates), np.uint32)

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """N random candidates, float32 (n, *shape), as random sampling and initial populations draw them."""
        ...

    def decode(self, candidates: np.ndarray, originals: Originals, rows: np.ndarray) -> np.ndarray:
        """The inputs that candidates stand for.

        Args:
            candidates: float32 (n, *shape).
            originals: the seed inputs.
            rows: int (n,), the seed input that each candidate distorts.

        Returns:
            float32 (n, H, W, C), C-contiguous; each row depends on its candidate and seed input alone.
        """
        ...


class Free:
    """The genes of a flat space that may move; libraries refuse bounds that are equal."""

    def __init__(self, space: Space) -> None:
        self._fixed = space.lower.copy()
        self._free = np.flatnonzero(space.lower < space.upper)
        self.lower: np.ndarray = space.lower[self._free]
        """float32 (g,)."""
        self.upper: np.ndarray = space.upper[self._free]
        self.integer: np.ndarray = space.integer[self._free]

    def of(self, candidates: np.ndarray) -> np.ndarray:
        """The free genes (n, g) of candidates (n, genes)."""
        return candidates[:, self._free]

    def full(self, genes: np.ndarray) -> np.ndarray:
        """Candidates, float32 (n, genes), of free genes (n, g), with the fixed ones put back."""
        candidates = np.repeat(self._fixed[None], len(genes), axis=0)
        candidates[:, self._free] = genes
        return candidates
