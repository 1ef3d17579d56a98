"""The dataset as one network sees it: inputs cut or scaled on demand, labels, and the split.

Searches read it too, so it needs numpy alone.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from quantrift.core.base.archive import read_arrays, write_arrays
from quantrift.core.base.carried_rows import apart, by_name, joined
from quantrift.core.base.errors import reading
from quantrift.core.base.observed_columns import TableColumns

Integers = NDArray[np.int64]
Floats = NDArray[np.float32]
CARRIED = "carried."
"""Begins the names of arrays that are carried along with the inputs of a file."""
CHANGED = "changed_input"
"""Name of the text that says which input of a network these are, where others are carried along."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Inputs(ABC):
    """Inputs numbered 0 .. N-1, of which every split holds some by their sorted numbers."""

    dataset: str
    """Id of the dataset."""
    title: str
    """Its name for people."""
    class_names: list[str]
    """Name of each label; a class may have no input at all."""
    labels: Integers
    """(N,) int64, 0 .. len(class_names) - 1."""
    train: Integers
    """Numbers of the training inputs, int64, sorted."""
    validation: Integers
    """Numbers of the validation inputs, int64, sorted; empty where the split has none."""
    test: Integers
    """Numbers of the test inputs, int64, sorted."""
    changed_input: str = ""
    """Name of the input of the network that searches change, where others are carried along with it."""
    carried: Mapping[str, Floats] = field(default_factory=dict)
    """Name of each other input -> its values, float32 (N, ...), in the order of rows."""

    @staticmethod
    def load(path: str | Path) -> "Inputs":
        """The inputs that ``save`` wrote.

        ``ScenePatches`` where the file holds a scene, ``ValueStack`` where it holds values, ``MeasuredStack`` where
        these are signals or rows of a table, ``ImageStack`` otherwise.
        """
        arrays = read_arrays(path)
        with reading(path, "damaged"):
            values: dict[str, Any] = {
                name: value.tolist() if value.ndim == 0 or value.dtype.kind == "U" else value
                for name, value in arrays.items()
                if not name.startswith(CARRIED)
            }
            values["carried"] = {one.removeprefix(CARRIED): arrays[one] for one in arrays if one.startswith(CARRIED)}
            if "values" in values:
                if "kind" not in values:
                    return ValueStack(**values)
                # An empty list comes back as an array of no text.
                return MeasuredStack(**values | {"names": list(values["names"])})
            return ScenePatches(**values) if "scene" in values else ImageStack(**values)

    @property
    def arrays(self) -> dict[str, Any]:
        """Name -> array of everything that a file holds of them."""
        held = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in ("carried", CHANGED)}
        others = {f"{CARRIED}{name}": one for name, one in self.carried.items()}
        return held | ({CHANGED: self.changed_input, **others} if others else {})

    def save(self, path: str | Path) -> None:
        """Write everything to one .npz file."""
        write_arrays(path, self.arrays)

    def __len__(self) -> int:
        """Number of inputs, over all splits."""
        return len(self.labels)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows, columns and channels of one input, or (1, 1, L) of a row that holds all inputs of the network.

        See ``quantrift.core.base.carried_rows``.
        """
        carried = sum(one[0].size for one in self.carried.values())
        return (1, 1, int(np.prod(self._shape)) + carried) if self.carried else self._shape

    @property
    @abstractmethod
    def _shape(self) -> tuple[int, int, int]:
        """Rows, columns and channels of one input that searches change."""

    @property
    @abstractmethod
    def data_range(self) -> tuple[float, float]:
        """Least and greatest value that inputs take."""

    @property
    def channel_ranges(self) -> tuple[tuple[float, float], ...]:
        """Least and greatest value of each channel, where channels have scales of their own; else empty."""
        return ()

    @property
    def table(self) -> TableColumns | None:
        """Columns of a table; ``None`` of other inputs."""
        return None

    @property
    def plain(self) -> "Inputs":
        """The inputs on one scale: themselves, unless channels have scales of their own; then images from 0 to 1."""
        return self

    @property
    def searched(self) -> "Inputs":
        """The inputs that searches change, without others that are carried along with each."""
        return replace(self, changed_input="", carried={}) if self.carried else self

    def apart(self, rows: Floats) -> tuple[Floats, dict[str, Floats]]:
        """The inputs that are changed, float32 (n, H, W, C), and name -> values of the others, float32 (n, ...).

        ``rows`` are such as ``take`` gives.
        """
        changed, carried = apart(rows, self._shape)
        return changed, by_name(carried, {name: one.shape[1:] for name, one in self.carried.items()})

    def scaled(self, x: Any) -> Any:
        """What a network takes for inputs of :attr:`plain`, an array or a tensor (n, rows, columns, channels)."""
        return x

    def take(self, indices: Sequence[int] | Integers) -> Floats:
        """Inputs by number: float32 (n, *shape), C-contiguous, a copy. Ask for a batch at a time."""
        chosen = np.asarray(indices, np.int64)
        own = self._take(chosen)
        return joined(own, [one[chosen] for one in self.carried.values()]) if self.carried else own

    @abstractmethod
    def _take(self, chosen: Integers) -> Floats:
        """Inputs that searches change by number: (n, rows, columns, channels) float32, C-contiguous, a copy."""

    def clusters(self, indices: Sequence[int] | Integers) -> Integers:
        """Numbers, int64 (n,), which are equal for inputs that are not independent cases; by default each is one."""
        return np.asarray(indices, np.int64)


@dataclass(frozen=True, kw_only=True, eq=False)
class ImageStack(Inputs):
    """Images, kept in 8 bits and scaled to what the network wants, [0, 1] unless a network says otherwise."""

    images: NDArray[np.uint8]
    """(N, rows, columns, channels) uint8, in the network's order of channels."""
    black: Floats = field(default_factory=lambda: np.zeros(1, np.float32))
    """float32, one value for each channel or (1,) for all: what 0 becomes."""
    white: Floats = field(default_factory=lambda: np.ones(1, np.float32))
    """Likewise what 255 becomes; what lies between is linear."""

    @property
    def _shape(self) -> tuple[int, int, int]:
        """Rows, columns and channels of one image."""
        return self.images.shape[1:]

    @property
    def data_range(self) -> tuple[float, float]:
        """Black and white, of the channels that reach furthest, whatever values the images hold."""
        return float(self.black.min()), float(self.white.max())

    @property
    def channel_ranges(self) -> tuple[tuple[float, float], ...]:
        """Black and white of each channel, where they are not the same for all; else empty."""
        if np.ptp(self.black) == np.ptp(self.white) == 0:
            return ()
        every = np.ones(self.images.shape[-1], np.float32)
        return tuple(zip((self.black * every).tolist(), (self.white * every).tolist(), strict=True))

    @property
    def plain(self) -> "ImageStack":
        """See :class:`Inputs`."""
        return (
            replace(self, black=np.zeros(1, np.float32), white=np.ones(1, np.float32)) if self.channel_ranges else self
        )

    def scaled(self, x: Any) -> Any:
        """See :class:`Inputs`; computed as ``take`` does."""
        return x * (self.white - self.black) + self.black if self.channel_ranges else x

    def _take(self, chosen: Integers) -> Floats:
        """Images by number, between black and white: (n, rows, columns, channels) float32, C-contiguous."""
        return between(self.images[chosen], self.black, self.white)


def between(images: NDArray[np.uint8], black: Floats, white: Floats) -> Floats:
    """Images of 8 bits, (n, rows, columns, channels), between black and white (``ImageStack``), float32."""
    share = np.divide(images, 255, dtype=np.float32)
    share *= white - black
    share += black
    return share


@dataclass(frozen=True, kw_only=True, eq=False)
class Stack(Inputs):
    """Inputs kept as the network sees them."""

    values: Floats
    """(N, rows, columns, channels) float32; (N, 1, steps, channels) of signals, (N, 1, 1, features) of a table."""

    @property
    def _shape(self) -> tuple[int, int, int]:
        """Rows, columns and channels of one input."""
        return self.values.shape[1:]

    def _take(self, chosen: Integers) -> Floats:
        """Inputs by number, bit for bit as they came: (n, rows, columns, channels) float32, C-contiguous, a copy."""
        return np.ascontiguousarray(self.values[chosen])


@dataclass(frozen=True, kw_only=True, eq=False)
class ValueStack(Stack):
    """Any numbers, on no grid, cut from nothing."""

    low: float
    """Least value that inputs take."""
    high: float
    """Greatest value."""

    @property
    def data_range(self) -> tuple[float, float]:
        """Least and greatest value, as stated."""
        return self.low, self.high


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasuredStack(Stack):
    """Signals or rows of a table; each channel or feature has a range of its own."""

    kind: Literal["signal", "table"]
    names: list[str]
    """Name of each channel or feature; empty where they have none."""
    category: Integers
    """(channels,) int64: number of the category that a feature states, by itself or with others; -1 for none."""

    @property
    def data_range(self) -> tuple[float, float]:
        """Least and greatest value observed in any channel."""
        return float(self.values.min()), float(self.values.max())

    @cached_property
    def channel_ranges(self) -> tuple[tuple[float, float], ...]:
        """Least and greatest value observed in each channel; equal in one that is constant."""
        low, high = self.values.min(axis=(0, 1, 2)), self.values.max(axis=(0, 1, 2))
        return tuple(zip(low.tolist(), high.tolist(), strict=True))

    @cached_property
    def table(self) -> TableColumns | None:
        """Columns of a table; ``None`` of signals."""
        if self.kind != "table":
            return None
        groups = [np.flatnonzero(self.category == number).tolist() for number in range(self.category.max() + 1)]
        return TableColumns.of(self.values.reshape(len(self.values), -1), groups)


@dataclass(frozen=True, kw_only=True, eq=False)
class ScenePatches(Inputs):
    """Square patches around the labelled pixels of a scene, zero beyond its border as in HybridSN's public code."""

    scene: Floats
    """(rows, columns, channels) float32: the whole scene as the network sees it."""
    positions: Integers
    """(N, 2) int64: row and column in the scene of the pixel each patch is centred on."""
    patch: int
    """Side of a patch, in pixels; odd."""

    @property
    def _shape(self) -> tuple[int, int, int]:
        """Rows, columns and channels of one patch."""
        return self.patch, self.patch, self.scene.shape[2]

    @cached_property
    def data_range(self) -> tuple[float, float]:
        """Least and greatest value of the scene."""
        return float(self.scene.min()), float(self.scene.max())

    @cached_property
    def _padded(self) -> Floats:
        return np.pad(self.scene, ((self.patch // 2,) * 2, (self.patch // 2,) * 2, (0, 0)))

    def _take(self, chosen: Integers) -> Floats:
        """Patches by number: (n, patch, patch, channels) float32, C-contiguous."""
        row, column = self.positions[chosen].T
        # In the padded scene, a patch begins where its centre lies in the scene itself.
        side = np.arange(self.patch)
        return self._padded[(row[:, None] + side)[:, :, None], (column[:, None] + side)[:, None, :]]

    def clusters(self, indices: Sequence[int] | Integers) -> Integers:
        """Numbers of the square blocks of the scene that the patches' pixels lie in, int64 (n,).

        Blocks have a patch's side, so that patches of one block overlap.
        """
        row, column = (self.positions[np.asarray(indices, np.int64)] // self.patch).T
        return row * -(-self.scene.shape[1] // self.patch) + column
