"""Logits of both networks of a pair, and networks without logits."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.runtime import load_runtime, runtime_of

ROWS = 256
T = TypeVar("T")


def logits(path: Path, inputs: np.ndarray) -> np.ndarray:
    """Logits, float32 (n, K), of the network in a .tflite or .onnx file on inputs, float32 (n, H, W, C), n > 0."""
    network = load_runtime(runtime_of(path), path)
    return np.concatenate([network(inputs[start : start + ROWS]) for start in range(0, len(inputs), ROWS)])


def both(original: Path, compressed: Path, inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Logits of both networks."""
    return logits(original, inputs), logits(compressed, inputs)


def of_any_outputs(kind: Callable[..., T], *given: Any) -> T:
    """A network whose layers are seen, and whose outputs are labels or anything else."""
    try:
        return kind(*given)
    except QuantriftError:
        return kind(*given, values=True)
