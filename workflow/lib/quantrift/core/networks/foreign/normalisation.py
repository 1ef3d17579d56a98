"""Normalisation inside a Keras network: factor and offset of its first layers."""

from typing import Any

import keras
import numpy as np
from keras import layers

PASSED = (layers.InputLayer, layers.Reshape, layers.ZeroPadding2D)
"""Layers that leave values as they are."""


def normalisation(model: keras.Model) -> tuple[np.ndarray, np.ndarray] | None:
    """Factor and then offset that the first layers apply to inputs, float64 (1,) or one for each channel.

    ``None`` where they apply neither. The layers are a plain chain up to the first one of another kind.
    """
    slope, offset, found = np.ones(1), np.zeros(1), False
    before: Any = None
    for layer in model.layers:
        if before is not None and layer.input is not before.output:
            break
        before = layer
        match layer:
            case layers.Rescaling():
                times, plus = _values(layer.scale), _values(layer.offset)
            case layers.Normalization():
                spread = np.maximum(np.sqrt(_values(layer.variance)), keras.config.epsilon())
                mean = _values(layer.mean)
                times, plus = (spread, mean) if layer.invert else (1 / spread, -mean / spread)
            case _ if isinstance(layer, PASSED):
                continue
            case _:
                break
        slope, offset, found = slope * times, offset * times + plus, True
    return (slope, offset) if found else None


def _values(given: Any) -> np.ndarray:
    return np.ravel(keras.ops.convert_to_numpy(given)).astype(np.float64)
