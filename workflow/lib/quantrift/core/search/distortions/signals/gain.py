"""Gain: the distance, the amplifier or the sensor's sensitivity is another."""

import numpy as np

from quantrift.core.search.distortions.genes import Setting, around
from quantrift.core.search.distortions.signal_distortion import SignalDistortion

PLACE = 30
BY_DEFAULT = True
GROUPS = ("spectrogram",)
DECIBEL = 6.0
"""At most: from half to twice the amplitude."""


class Gain(SignalDistortion):
    """Decibel."""

    def __init__(self, setting: Setting) -> None:
        super().__init__([around(DECIBEL * setting.strength)])

    def changed(self, signal: np.ndarray, genes: list[float], span: np.ndarray) -> np.ndarray:
        """Multiply all channels by the same factor, about zero."""
        signal *= np.float32(10.0 ** (genes[0] / 20))
        return signal


bind = Gain
