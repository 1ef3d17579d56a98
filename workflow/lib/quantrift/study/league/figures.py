"""Figures on two tensors, x of the original and y of the compressed network: SQNR, PSNR and cosine.

They are taken over all values of all inputs at once, as ONNX Runtime's ``qdq_loss_debug`` and AIMET take SQNR.
"""

import math

import numpy as np


def sqnr(x: np.ndarray, y: np.ndarray) -> float:
    """10 log10(sum x^2 / sum (x - y)^2), in dB; infinite where both are equal, -infinite where a difference is not."""
    return _db(float(np.square(x.astype(np.float64)).sum()), _noise(x, y))


def psnr(x: np.ndarray, y: np.ndarray) -> float:
    """10 log10(p^2 / mean (x - y)^2) in dB, where p is the largest distance of two values of x."""
    return _db(float(np.ptp(x.astype(np.float64))) ** 2 * x.size, _noise(x, y))


def cosine(x: np.ndarray, y: np.ndarray) -> float:
    """Cosine of the angle between both, each taken as one vector; NaN where one of them is 0."""
    first, second = x.ravel().astype(np.float64), y.ravel().astype(np.float64)
    lengths = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(first @ second) / lengths if lengths else math.nan


def _noise(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.square(x.astype(np.float64) - y).sum())


def _db(signal: float, noise: float) -> float:
    if not signal or not math.isfinite(noise):
        return -math.inf if noise else math.inf
    return 10 * math.log10(signal / noise) if noise else math.inf
