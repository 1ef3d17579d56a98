"""Layers of a network as the bounds see them, in real numbers: a chain from the image to the logits."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod

import numpy as np

TIE = 1e-3
"""Steps of a grid around a tie within which either number counts as the nearest: float32 divides by the step first."""


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
        missing = [
            max((-(-side // step) - 1) * step + length - side, 0) if same else 0
            for side, length, step in zip(image, size, stride, strict=True)
        ]
        rows, columns = ((one // 2, one - one // 2) for one in missing)
        return Window(size, stride, (rows, columns))

    def places(self, image: tuple[int, int]) -> tuple[int, int]:
        """Rows and columns of places on an image of so many rows and columns."""
        down, right = (
            (side + sum(pad) - length) // step + 1
            for side, pad, length, step in zip(image, self.padding, self.size, self.stride, strict=True)
        )
        return down, right

    def unfolded(self, x: np.ndarray) -> np.ndarray:
        """What the window covers at each place of ``x``, (m, H, W, C): a view (m, places, places, C, rows, columns)."""
        windows = np.lib.stride_tricks.sliding_window_view(
            np.pad(x, ((0, 0), *self.padding, (0, 0))), self.size, axis=(1, 2)
        )
        return windows[:, :: self.stride[0], :: self.stride[1]]


@dataclass(frozen=True, eq=False)
class LinearMap:
    """A linear map (convolution, dense layer) on many float64 arrays at once, without its bias."""

    weights: np.ndarray
    """float64."""
    fan_in: int
    """Products that one output is the sum of, at most."""
    input_shape: tuple[int, ...]
    """Shape of one array that it takes; a dense layer takes any of as many numbers."""
    output_shape: tuple[int, ...]
    """Shape of one array that it gives."""
    products: Callable[[np.ndarray, np.ndarray], np.ndarray]
    """Sums of products of some arrays and the weights."""
    together: int | None = None
    """Arrays that it takes at once, at most."""

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Apply the map to each of ``x``, float64 (m, *input shape): float64 (m, *output_shape)."""
        found = np.empty((len(x), *self.output_shape))
        step = self.together or max(1, len(x))
        for start in range(0, len(x), step):
            products = self.products(x[start : start + step], self.weights)
            found[start : start + step] = products.reshape(-1, *self.output_shape)
        return found

    def magnitudes(self) -> "LinearMap":
        """The map whose weights are the absolute values of this one's."""
        return replace(self, weights=np.abs(self.weights))


def dense(weights: np.ndarray) -> LinearMap:
    """A dense layer; its weights are float64 (outputs, inputs)."""
    outputs, inputs = weights.shape
    return LinearMap(weights, inputs, (inputs,), (outputs,), lambda x, own: x.reshape(len(x), -1) @ own.T)


def convolution(weights: np.ndarray, window: Window, image: tuple[int, int], depthwise: bool = False) -> LinearMap:
    """A convolution over rows and columns of images (H, W).

    Its weights are float64 (outputs, rows, columns, C) or, of each channel by itself, (rows, columns, C, outputs of a
    channel).
    """

    def products(x: np.ndarray, own: np.ndarray) -> np.ndarray:
        windows = window.unfolded(x)
        if depthwise:
            return np.einsum("mpqcij,ijck->mpqck", windows, own, optimize=True)
        return windows.reshape(*windows.shape[:3], -1) @ own.transpose(3, 1, 2, 0).reshape(fan_in, -1)

    channels = weights.shape[2 if depthwise else 3]
    fan_in = prod(weights.shape[:2] if depthwise else weights.shape[1:])
    places = window.places(image)
    return LinearMap(
        weights,
        fan_in,
        (*image, channels),
        (*places, prod(weights.shape[2:]) if depthwise else len(weights)),
        products,
        # 32 MB of unfolded inputs at once.
        max(1, 2**25 // (8 * prod(window.size) * channels * prod(places))),
    )


@dataclass(frozen=True, eq=False)
class Rounding:
    """The most that a runtime's arithmetic of a layer differs from real numbers."""

    relative: float
    """Of the sum of the magnitudes of all products and the bias."""
    result: np.ndarray
    """Of the result by itself, float64, broadcast over the output: the last rounding to a grid."""
    of_result: float
    """Of the result's magnitude: the rounding of the factor between two grids."""


@dataclass(frozen=True, eq=False)
class Affine:
    """A linear map with a bias, its rounding, and the limits that the result is moved into."""

    linear: LinearMap
    bias: np.ndarray
    """float64, broadcast over the output."""
    rounding: Rounding
    low: float
    """Least value of an output: 0 after a ReLU, the end of the grid of an 8-bit output, or -infinity."""
    high: float


@dataclass(frozen=True)
class MaxPool:
    """The largest value of each channel in a window; exact in every arithmetic."""

    window: Window


@dataclass(frozen=True)
class Clamp:
    """An activation by itself."""

    low: float
    high: float


@dataclass(frozen=True)
class Reshape:
    """All numbers in one row, in the order of memory."""


@dataclass(frozen=True)
class Grid:
    """Rounding to the nearest number of a grid of 8 bits, of the input or between two layers."""

    step: float
    low: float
    """Least number of the grid."""
    high: float


Layer = Affine | MaxPool | Clamp | Reshape | Grid
