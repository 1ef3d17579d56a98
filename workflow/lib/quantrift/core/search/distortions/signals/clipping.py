"""Clipping: the amplifier or the converter reaches its limits."""

import numpy as np

from quantrift.core.search.distortions.genes import Gene, Setting
from quantrift.core.search.distortions.signal_distortion import SignalDistortion

PLACE = 70
BY_DEFAULT = True
SHARE = 0.3
"""Of the signal's own range, at most: what is cut off, half of it above and half below."""


class Clipping(SignalDistortion):
    """Share of the range that is cut off."""

    def __init__(self, setting: Setting) -> None:
        super().__init__([Gene(0, SHARE * setting.strength, integer=False)])

    def changed(self, signal: np.ndarray, genes: list[float], span: np.ndarray) -> np.ndarray:
        """Clip each channel within its own least and greatest value."""
        low, high = signal.min(axis=0), signal.max(axis=0)
        cut = np.float32(genes[0] / 2) * (high - low)
        return np.clip(signal, low + cut, high - cut, out=signal)


bind = Clipping
