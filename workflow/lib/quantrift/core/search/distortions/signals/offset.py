"""Offset: the zero of a sensor drifts, or a constant voltage lies below the signal."""

import numpy as np

from quantrift.core.search.distortions.genes import Setting, SignalDistortion, around

PLACE = 40
GROUPS = ("default", "spectrogram")


def bind(setting: Setting) -> SignalDistortion:
    """Share of the range observed of each channel, at most a tenth."""
    return SignalDistortion([around(0.1 * setting.strength)], apply)


def apply(signal: np.ndarray, genes: list[float], span: np.ndarray) -> None:
    """Add the share of its range to each channel."""
    signal += np.float32(genes[0]) * span
