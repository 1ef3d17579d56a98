"""Logits of both networks of a pair."""

from pathlib import Path

import numpy as np

from quantrift.core.networks.runtime import load_runtime, runtime_of

ROWS = 256


def logits(path: Path, inputs: np.ndarray) -> np.ndarray:
    """Logits, float32 (n, K), of the network in a .tflite or .onnx file on inputs, float32 (n, H, W, C), n > 0."""
    network = load_runtime(runtime_of(path), path)
    return np.concatenate([network(inputs[start : start + ROWS]) for start in range(0, len(inputs), ROWS)])


def both(original: Path, compressed: Path, inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Logits of both networks."""
    return logits(original, inputs), logits(compressed, inputs)
