"""Clipping: the amplifier or the converter reaches its limits."""

import numpy as np

from quantrift.core.search.distortions.genes import Setting, SignalDistortion, up_to

PLACE = 70
GROUPS = ("default",)
SHARE = 0.3
"""Of the signal's own range, at most: what is cut off, half of it above and half below."""


def bind(setting: Setting) -> SignalDistortion:
    """Share of the range that is cut off."""
    return SignalDistortion([up_to(SHARE * setting.strength)], apply)


def apply(signal: np.ndarray, genes: list[float], span: np.ndarray) -> None:
    """Clip each channel within its own least and greatest value."""
    low, high = signal.min(axis=0), signal.max(axis=0)
    cut = np.float32(genes[0] / 2) * (high - low)
    np.clip(signal, low + cut, high - cut, out=signal)
