"""Gain: the distance, the amplifier or the sensor's sensitivity is another."""

import numpy as np

from quantrift.core.search.distortions.genes import Setting, SignalDistortion, around

PLACE = 30
GROUPS = ("default", "spectrogram")


def bind(setting: Setting) -> SignalDistortion:
    """Decibel, at most 6: from half to twice the amplitude."""
    return SignalDistortion([around(6.0 * setting.strength)], apply)


def apply(signal: np.ndarray, genes: list[float], span: np.ndarray) -> None:
    """Multiply all channels by the same factor, about zero."""
    signal *= np.float32(10.0 ** (genes[0] / 20))
