"""Clipping: the amplifier or the converter reaches its limits."""

import numpy as np

from quantrift.core.search.distortions.genes import Setting, SignalDistortion, up_to

PLACE = 70
GROUPS = ("default",)


def bind(setting: Setting) -> SignalDistortion:
    """Share of the signal's own range that is cut off, at most 0.3, half of it above and half below."""
    return SignalDistortion([up_to(0.3 * setting.strength)], apply)


def apply(signal: np.ndarray, genes: list[float], span: np.ndarray) -> None:
    """Clip each channel within its own least and greatest value."""
    low, high = signal.min(axis=0), signal.max(axis=0)
    cut = np.float32(genes[0] / 2) * (high - low)
    np.clip(signal, low + cut, high - cut, out=signal)
