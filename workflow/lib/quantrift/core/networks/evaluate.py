"""Logits, labels and accuracy of a network on many inputs, a batch at a time."""

from collections.abc import Callable

import numpy as np

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.batches import runs

MOST = 2**23
"""Values of inputs that are held at once: 32 MB."""


def logits(network: Callable[[np.ndarray], np.ndarray], inputs: Inputs, indices: np.ndarray) -> np.ndarray:
    """Logits, float32 (n, K), of the inputs numbered ``indices`` (n,); 256 at once are held, or fewer large ones."""
    together = max(1, min(256, MOST // int(np.prod(inputs.shape))))
    batches = [network(inputs.take(part)) for _, part, _ in runs(indices, together)]
    return np.concatenate(batches) if batches else np.empty((0, len(inputs.class_names)), np.float32)


def labels(values: np.ndarray) -> np.ndarray:
    """Labels, int64 (n,), of logits (n, K): the largest, the first of them on a tie."""
    return values.argmax(axis=1)


def flips(one: np.ndarray, other: np.ndarray) -> int:
    """Number of inputs on which two networks with logits (n, K) give different labels."""
    return int((labels(one) != labels(other)).sum())


def accuracy(values: np.ndarray, truth: np.ndarray) -> float:
    """Share of the inputs with logits (n, K) whose label is the true one, (n,); NaN without inputs."""
    return float((labels(values) == truth).mean())
