"""Context of an input: the scene around a patch, or an image continued at its borders."""

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np

from quantrift.core.base.inputs import Inputs, ScenePatches

Border = Literal["reflect", "edge", "zero"]
"""Continuation of an image: mirrored at its outermost pixels, with its outermost pixels repeated, or with zeros."""


class Surroundings(Protocol):
    """Pixels by their place relative to the first pixel of an input."""

    def pixels(self, rows: np.ndarray, down: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Pixels of and around inputs.

        Args:
            rows: int (k,), numbers of the inputs.
            down: int (k, H, W), lines, counted from the first line of the input; its own are 0 .. H - 1.
            right: int (k, H, W), columns, likewise.

        Returns:
            float32 (k, H, W, C).
        """
        ...


class Scene:
    """The scene that patches are cut from, and zeros beyond its border, as the patches have them themselves.

    Pixels are read where they stand: neither the scene nor a neighbourhood of a patch is ever copied.
    """

    def __init__(self, inputs: ScenePatches) -> None:
        self._scene = np.ascontiguousarray(inputs.scene)
        self._first = inputs.positions - inputs.patch // 2

    def at(self, indices: Sequence[int] | np.ndarray) -> "Cut":
        """The surroundings of inputs by their numbers in the dataset."""
        return Cut(self._scene, self._first[np.asarray(indices, np.int64)])


def scene_of(inputs: Inputs) -> Scene | None:
    """The scene that inputs were cut from, if any."""
    return Scene(inputs) if isinstance(inputs, ScenePatches) else None


class Cut:
    """The surroundings of some patches of one scene."""

    def __init__(self, scene: np.ndarray, first: np.ndarray) -> None:
        """Takes the scene (rows, columns, C), C-contiguous, and the patches' first pixels in it, int (m, 2)."""
        self._scene = scene
        self._first = first

    def pixels(self, rows: np.ndarray, down: np.ndarray, right: np.ndarray) -> np.ndarray:
        """See :class:`Surroundings`."""
        line, column = self._first[rows].T[:, :, None, None]
        return _lookup(self._scene, 0, down + line, right + column)


class Bordered:
    """Images, each continued at its own borders."""

    def __init__(self, images: np.ndarray, border: Border) -> None:
        """Takes images, float32 (m, H, W, C), C-contiguous."""
        self._images = images
        self._border = border

    def pixels(self, rows: np.ndarray, down: np.ndarray, right: np.ndarray) -> np.ndarray:
        """See :class:`Surroundings`."""
        _, height, width, _ = self._images.shape
        if self._border == "reflect":
            down, right = _reflected(down, height), _reflected(right, width)
        elif self._border == "edge":
            down, right = np.clip(down, 0, height - 1), np.clip(right, 0, width - 1)
        return _lookup(self._images, rows, down, right)


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
