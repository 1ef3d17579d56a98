"""Offset: the zero of a sensor drifts, or a constant voltage lies below the signal."""

import numpy as np

from quantrift.core.search.distortions.genes import Setting, around
from quantrift.core.search.distortions.signal_distortion import SignalDistortion

PLACE = 40
BY_DEFAULT = True
GROUPS = ("spectrogram",)
SHARE = 0.1
"""Of the range observed of each channel, at most."""


class Offset(SignalDistortion):
    """Share of the range of each channel."""

    def __init__(self, setting: Setting) -> None:
        super().__init__([around(SHARE * setting.strength)])

    def changed(self, signal: np.ndarray, genes: list[float], span: np.ndarray) -> np.ndarray:
        """Add the share of its range to each channel."""
        signal += np.float32(genes[0]) * span
        return signal


bind = Offset
