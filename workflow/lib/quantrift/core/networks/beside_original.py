"""A compressed network beside its original on the test inputs."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.evaluate import accuracy, logits

Network = Callable[[np.ndarray], np.ndarray]
"""From inputs, float32 (n, H, W, C), to logits, float32 (n, K)."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """What both networks say about the test inputs."""

    truth: np.ndarray
    """True labels, int64 (n,)."""
    of_original: np.ndarray
    """Logits, float32 (n, K)."""
    of_compressed: np.ndarray

    @property
    def before(self) -> float:
        """Accuracy of the original, a fraction."""
        return accuracy(self.of_original, self.truth)

    @property
    def after(self) -> float:
        """Accuracy of the compressed network, a fraction."""
        return accuracy(self.of_compressed, self.truth)


def compare(original: Network, compressed: Network, inputs: Inputs) -> Comparison:
    """Run both networks on the test inputs."""
    return Comparison(inputs.labels[inputs.test], *(logits(one, inputs, inputs.test) for one in (original, compressed)))
