"""A figure of each layer of a pair, on a few inputs."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from quantrift.core.networks.layer_comparison import layered, pairs

INPUTS = 64
"""Inputs on which layers are compared."""
Figure = Callable[[np.ndarray, np.ndarray], float]
"""From values in both networks, float32 of one shape, to a number that falls with the error; NaN where it is not
defined."""


def of_layers(original: Path, compressed: Path, inputs: np.ndarray, figure: Figure) -> dict[str, float]:
    """Name of each layer that both networks have -> its figure, in the order of the original.

    Args:
        original: .tflite or .onnx.
        compressed: of the same kind.
        inputs: float32 (n, H, W, C), of which the first ``INPUTS`` are run.
        figure: of one layer.
    """
    x = inputs[:INPUTS]
    first, second = layered(original, len(x)), layered(compressed, len(x))
    before, after = first(x), second(x)
    return {
        layer.name: figure(before[layer.name].reshape(len(x), -1), after[match.name].reshape(len(x), -1))
        for layer, match in pairs(first, second)
        if before[layer.name].size == after[match.name].size
    }
