"""Resampling: what is measured goes slower or faster, or the clock of the converter does."""

import numpy as np

from quantrift.core.search.distortions.genes import Setting, around
from quantrift.core.search.distortions.signal_distortion import SignalDistortion, looked_up

PLACE = 20
BY_DEFAULT = True
GROUPS = ("spectrogram",)
DOUBLINGS = 0.25
"""Of the speed, at most: from 0.84 to 1.19 times."""


class Resampling(SignalDistortion):
    """Doublings of the speed, faster if positive."""

    def __init__(self, setting: Setting) -> None:
        super().__init__([around(DOUBLINGS * setting.strength)] if setting.shape[1] > 1 else [])

    def changed(self, signal: np.ndarray, genes: list[float], span: np.ndarray) -> np.ndarray:
        """Look the signal up about its middle, between neighbours linearly; it goes on as its ends are."""
        middle = (len(signal) - 1) / 2
        return looked_up(signal, middle + 2.0 ** genes[0] * (np.arange(len(signal)) - middle))


bind = Resampling
