"""Search spaces: vectors, and their decoding into inputs."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from math import prod
from typing import Any, Protocol

import numpy as np

from quantrift.core.base.inputs import Inputs
from quantrift.core.base.observed_columns import TableColumns
from quantrift.core.search.surroundings import Surroundings, scene_of


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
        low, high = own.data_range
        carried = 0 if own is inputs else prod(inputs.shape) - prod(own.shape)
        return Domain(own.shape, low, high, own.channel_ranges, own.table, carried)

    @staticmethod
    def stated(settings: Mapping[str, Any]) -> "Domain":
        """The domain from its :attr:`settings`."""
        channels = tuple((float(low), float(high)) for low, high in settings.get("channels", ()))
        low, high = settings["range"]
        table = settings.get("table")
        columns = None if table is None else TableColumns.stated(table)
        return Domain(tuple(settings["shape"]), low, high, channels, columns, int(settings.get("carried", 0)))

    @property
    def settings(self) -> dict[str, Any]:
        """Plain values that records keep of it."""
        one_scale: dict[str, Any] = {"shape": self.shape, "range": (self.low, self.high)}
        if self.table is not None:
            one_scale["table"] = asdict(self.table)
        if self.carried:
            one_scale["carried"] = self.carried
        return one_scale | ({"channels": self.channels} if self.channels else {})

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Least and greatest value: float32 () each, or (C,) where channels have scales of their own."""
        low, high = np.array(self.channels or (self.low, self.high), np.float32).T
        return low, high

    @property
    def flat_bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The same for inputs as rows: float32 () each, or (H * W * C,)."""
        low, high = self.bounds
        if not self.channels:
            return low, high
        pixels = self.shape[0] * self.shape[1]
        return np.tile(low, pixels), np.tile(high, pixels)


@dataclass(frozen=True, eq=False)
class Originals:
    """Some seed inputs, with the statistics of each that distortions and constraints need."""

    inputs: np.ndarray
    """float32 (m, H, W, C), C-contiguous."""
    around: Surroundings | None = None
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
    distortions: tuple[str, ...]
    """Names of the distortions that candidates switch on and off, at most 32; empty where there are none."""

    def active(self, candidates: np.ndarray) -> np.ndarray:
        """Active distortions of candidates (n, *shape): uint32 (n,), bit i for the i-th of ``distortions``."""
        ...

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
