"""Bounds on the logits of one network over a box of images."""

from dataclasses import dataclass
from functools import reduce
from math import prod
from pathlib import Path

import numpy as np

from quantrift.core.base.errors import refuse
from quantrift.core.networks.graphs.signature import Signature
from quantrift.core.search.spaces.pixels import Pixels
from quantrift.judge.certify.bounds.arithmetic import LARGEST_FLOAT, UNIT
from quantrift.judge.certify.bounds.layers import TIE, Affine, Clamp, Grid, Layer, MaxPool, Reshape
from quantrift.judge.certify.bounds.tflite_chain import read
from quantrift.judge.certify.bounds.zonotope import MOST_TERMS, SLACK, Zonotope, larger
from quantrift.judge.certify.boxes import ImageBox


@dataclass(frozen=True, eq=False)
class Margins:
    """Bounds on how far the logit of a label is above each other one, over a box."""

    low: np.ndarray
    """float64 (K,): lower bound of logit[label] - logit[j], less what a softmax may close; infinite for the label."""
    slopes: np.ndarray
    """float64 (K, k): change of that difference from one end to the other of each value that is not fixed, halved."""

    @property
    def holds(self) -> bool:
        """Whether every image of the box gets the label."""
        return bool((self.low > 0).all())


@dataclass(frozen=True, eq=False)
class BoundedNetwork:
    """A network of a .tflite file whose logits can be bounded."""

    layers: list[Layer]
    softmax: bool
    scale: Pixels
    """Takes bytes to what the network takes."""
    shared: int = 1024
    """Errors of single numbers, largest first, that later layers follow exactly."""

    @staticmethod
    def of(path: Path, signature: Signature, scale: Pixels) -> "BoundedNetwork":
        """The network of a file.

        Raises:
            QuantriftError: one line, if it has an operation without bounds.
        """
        refuse(
            (
                path.suffix != ".tflite" or signature.first or signature.single,
                f"{path}: bounds are for .tflite files with channels last and two or more logits; enumerate "
                "a finite neighbourhood instead",
            )
        )
        layers, softmax = read(path)
        refuse(
            (
                signature.probabilities and not softmax,
                f"{path}: ends in a softmax of 8 bits, for which there are no bounds; export logits",
            )
        )
        found = BoundedNetwork(layers, softmax, scale)
        refuse(
            (
                not found._fits(signature.image),
                f"{path}: is too large for bounds, or its numbers may leave float32; enumerate instead",
            )
        )
        return found

    def _fits(self, shape: tuple[int, int, int]) -> bool:
        """Whether no sum is longer than bounds allow for, and none can overflow, whatever the image of the shape."""
        most = np.abs(self._values(np.stack([np.zeros(shape, np.uint8), np.full(shape, 255, np.uint8)]))).max()
        affine = [layer for layer in self.layers if isinstance(layer, Affine)]
        for layer in affine:
            # What lies between two of them, pooling and activations, makes no magnitude larger.
            sums = layer.linear.magnitudes()(np.full((1, *layer.linear.input_shape), most))[0]
            most = (sums + np.abs(layer.bias)).max()
            if not most < LARGEST_FLOAT:
                return False
        return (
            prod(shape) + self.shared * len(affine) + max((layer.linear.fan_in for layer in affine), default=0)
            <= MOST_TERMS
        )

    def _values(self, images: np.ndarray) -> np.ndarray:
        return self.scale.of_levels(images).astype(np.float64)

    def margins(self, box: ImageBox, label: int) -> Margins:
        """Bounds on the margins of a label over a box."""
        logits = self.logits(box)
        differences = logits.generators[:, label : label + 1] - logits.generators
        own = logits.box[label] + logits.box
        most = np.abs(logits.centre[label]) + np.abs(logits.centre) + logits.radius[label] + logits.radius
        low = logits.centre[label] - logits.centre - np.abs(differences).sum(axis=0) - own - SLACK * most
        # No float32 softmax closes this distance of two logits: its exponentials have a relative error of about 1e-6.
        low -= 1e-4 if self.softmax else 0.0
        low[label] = np.inf
        return Margins(low, differences[: len(box.wide)].T)

    def logits(self, box: ImageBox) -> Zonotope:
        """A set that holds the logits, float64 (K,), of every image of a box."""
        ends = self._values(np.stack([box.low, box.high]))
        low, high = ends.min(axis=0), ends.max(axis=0)
        layers = self.layers
        if isinstance(grid := layers[0], Grid):
            # Levels in between become numbers in between, so bytes that enter a network have no rounding error.
            layers = layers[1:]
            low, high = _on_grid(grid, low, -TIE), _on_grid(grid, high, TIE)
        found = _spanned(low, high, box.wide)
        for layer in layers:
            found = self._after(layer, found)
        # Numbers of 8 bits become float32 at the end.
        return found.widened(2 * UNIT * found.most)

    def _after(self, layer: Layer, x: Zonotope) -> Zonotope:
        """A set that holds what a layer makes of every array of ``x``."""
        match layer:
            case Affine():
                return self._affine(layer, x)
            case MaxPool():
                return _pooled(x, layer)
            case Clamp():
                return x.clamped(layer.low, layer.high)
            case Reshape():
                return x.flat()
            case Grid():
                return x.widened(np.array(layer.step / 2 + TIE * layer.step)).clamped(layer.low, layer.high)

    def _affine(self, layer: Affine, x: Zonotope) -> Zonotope:
        exact = x.mapped(layer.linear, layer.bias, self.shared)
        rounding = layer.rounding
        error = rounding.result + rounding.of_result * exact.most
        if rounding.relative:
            error = error + rounding.relative * (layer.linear.magnitudes()(x.most[None])[0] + np.abs(layer.bias))
        return exact.widened(error).clamped(layer.low, layer.high)


def _on_grid(grid: Grid, values: np.ndarray, by: float) -> np.ndarray:
    """The nearest numbers of a grid, on a tie the lower ones where ``by`` is negative, and the upper ones otherwise."""
    return np.clip(grid.step * np.rint(values / grid.step + by), grid.low, grid.high)


def _spanned(low: np.ndarray, high: np.ndarray, wide: np.ndarray) -> Zonotope:
    """The box of arrays from ``low`` to ``high``, with a generator for each number that is not fixed."""
    centre, radius = (low + high) / 2, (high - low) / 2
    generators = np.zeros((len(wide), low.size))
    generators[np.arange(len(wide)), wide] = radius.ravel()[wide]
    # The middle of two numbers is rounded. A fixed byte at a tie of the network's grid still has two numbers.
    return Zonotope(
        centre,
        generators.reshape(-1, *low.shape),
        SLACK * (np.abs(low) + np.abs(high)) + np.where(generators.any(axis=0).reshape(low.shape), 0, radius),
    )


def _pooled(x: Zonotope, layer: MaxPool) -> Zonotope:
    window, (rows, columns) = layer.window, x.centre.shape[:2]
    (down, right), (below, beside) = window.places((rows, columns)), window.stride
    # What each row and column of the window covers at all of its places.
    covered = (
        x.taken((slice(row, row + down * below, below), slice(column, column + right * beside, beside)))
        for row, column in np.ndindex(window.size)
    )
    return reduce(larger, covered)
