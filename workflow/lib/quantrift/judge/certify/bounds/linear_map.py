"""Linear maps of networks (convolutions, dense layers, means) on many float64 arrays at once."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

PORTION = 2**25
"""Bytes of unfolded inputs that a convolution makes at once."""


class LinearMap(ABC):
    """A linear map from arrays of one shape to arrays of another, without its bias."""

    @property
    @abstractmethod
    def fan_in(self) -> int:
        """Products that one output is the sum of, at most."""

    @property
    @abstractmethod
    def input_shape(self) -> tuple[int, ...]:
        """Shape of one array that it takes; a dense layer takes any of as many numbers."""

    @property
    @abstractmethod
    def output_shape(self) -> tuple[int, ...]:
        """Shape of one array that it gives."""

    @abstractmethod
    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Apply the map to each of ``x``, float64 (m, *input shape): float64 (m, *output_shape)."""

    @abstractmethod
    def magnitudes(self) -> "LinearMap":
        """The map whose weights are the absolute values of this one's."""


@dataclass(frozen=True, eq=False)
class Dense(LinearMap):
    """A dense layer."""

    weights: np.ndarray
    """float64 (outputs, inputs)."""

    @property
    def fan_in(self) -> int:
        """See :class:`LinearMap`."""
        return self.weights.shape[1]

    @property
    def input_shape(self) -> tuple[int, ...]:
        """See :class:`LinearMap`."""
        return (self.weights.shape[1],)

    @property
    def output_shape(self) -> tuple[int, ...]:
        """See :class:`LinearMap`."""
        return (len(self.weights),)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """See :class:`LinearMap`."""
        found: np.ndarray = x.reshape(len(x), -1) @ self.weights.T
        return found

    def magnitudes(self) -> "Dense":
        """See :class:`LinearMap`."""
        return Dense(np.abs(self.weights))


@dataclass(frozen=True)
class Window:
    """A window that slides over rows and columns of an image."""

    size: tuple[int, int]
    stride: tuple[int, int]
    padding: tuple[tuple[int, int], tuple[int, int]]
    """Zeros before and after the rows, and before and after the columns."""

    @staticmethod
    def of(image: tuple[int, int], size: tuple[int, int], stride: tuple[int, int], same: bool) -> "Window":
        """The window as TensorFlow pads it: ``same`` keeps ceil(side / stride) places, with the odd zero behind."""
        padding = []
        for side, length, step in zip(image, size, stride, strict=True):
            places = -(-side // step)
            missing = max((places - 1) * step + length - side, 0) if same else 0
            padding.append((missing // 2, missing - missing // 2))
        return Window(size, stride, (padding[0], padding[1]))

    def places(self, image: tuple[int, int]) -> tuple[int, int]:
        """Rows and columns of places on an image of so many rows and columns."""
        down, right = (
            (side + sum(pad) - length) // step + 1
            for side, pad, length, step in zip(image, self.padding, self.size, self.stride, strict=True)
        )
        return down, right

    def unfolded(self, x: np.ndarray) -> np.ndarray:
        """What the window covers at each place of ``x``, (m, H, W, C): a view (m, places, places, C, rows, columns)."""
        padded = np.pad(x, ((0, 0), *self.padding, (0, 0)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, self.size, axis=(1, 2))
        return windows[:, :: self.stride[0], :: self.stride[1]]


@dataclass(frozen=True, eq=False)
class _Sliding(LinearMap):
    """A window of weights that slides over the rows and columns of an image."""

    weights: np.ndarray
    window: Window
    image: tuple[int, int]
    """Rows and columns of its input."""

    @abstractmethod
    def _products(self, windows: np.ndarray) -> np.ndarray:
        """Sums of products at all places, float64 (m, places, places, ...) of what ``Window.unfolded`` gives."""

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """See :class:`LinearMap`."""
        found = np.empty((len(x), *self.output_shape))
        each = int(np.prod(self.window.size)) * self.input_shape[-1] * int(np.prod(self.output_shape[:2]))
        together = max(1, PORTION // (8 * each))
        for start in range(0, len(x), together):
            products = self._products(self.window.unfolded(x[start : start + together]))
            found[start : start + together] = products.reshape(-1, *self.output_shape)
        return found

    def magnitudes(self) -> Self:
        """See :class:`LinearMap`."""
        return replace(self, weights=np.abs(self.weights))


class Convolution(_Sliding):
    """A convolution over rows and columns; its weights are float64 (outputs, rows, columns, C)."""

    @property
    def fan_in(self) -> int:
        """See :class:`LinearMap`."""
        return int(np.prod(self.weights.shape[1:]))

    @property
    def input_shape(self) -> tuple[int, ...]:
        """See :class:`LinearMap`."""
        return (*self.image, self.weights.shape[3])

    @property
    def output_shape(self) -> tuple[int, ...]:
        """See :class:`LinearMap`."""
        return (*self.window.places(self.image), len(self.weights))

    def _products(self, windows: np.ndarray) -> np.ndarray:
        flat = self.weights.transpose(3, 1, 2, 0).reshape(self.fan_in, -1)
        found: np.ndarray = windows.reshape(*windows.shape[:3], -1) @ flat
        return found


class Depthwise(_Sliding):
    """A convolution of each channel by itself; its weights are float64 (rows, columns, C, outputs of a channel)."""

    @property
    def fan_in(self) -> int:
        """See :class:`LinearMap`."""
        return int(np.prod(self.weights.shape[:2]))

    @property
    def input_shape(self) -> tuple[int, ...]:
        """See :class:`LinearMap`."""
        return (*self.image, self.weights.shape[2])

    @property
    def output_shape(self) -> tuple[int, ...]:
        """See :class:`LinearMap`."""
        return (*self.window.places(self.image), int(np.prod(self.weights.shape[2:])))

    def _products(self, windows: np.ndarray) -> np.ndarray:
        found: np.ndarray = np.einsum("mpqcij,ijck->mpqck", windows, self.weights, optimize=True)
        return found
