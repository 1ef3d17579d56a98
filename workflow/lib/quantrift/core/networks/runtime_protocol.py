"""Interface of a loaded network."""

from typing import Protocol

import numpy as np


class Runtime(Protocol):
    """A loaded network. Its result for one input must not depend on the other inputs of the call.

    Logits are meant up to a constant per row: a network that ends in a softmax gives its probabilities' logarithms,
    less the row's largest, so that a softmax of them is the probabilities again.
    """

    input_shape: tuple[int, int, int]
    """Height, width and channels of one input."""
    classes: int
    """Number of classes K."""

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Logits, float32 (n, K) in C order, of ``x``, float32 (n, H, W, C); n may be 0."""
        ...
