"""Drop-out: a stretch is lost, and the last value before it is held."""

import numpy as np

from quantrift.core.search.distortions.genes import Gene, Setting, share
from quantrift.core.search.distortions.signal_distortion import SignalDistortion, stretch

PLACE = 80
BY_DEFAULT = True
SHARE = 0.1
"""Of the steps, at most."""


class Dropout(SignalDistortion):
    """Where the stretch begins, as a share of what it leaves free, and its length in steps."""

    def __init__(self, setting: Setting) -> None:
        longest = share(SHARE * setting.strength, setting.shape[1])
        super().__init__([Gene(0, 1, integer=False), Gene(0, longest)] if setting.shape[1] > 1 else [])

    def changed(self, signal: np.ndarray, genes: list[float], span: np.ndarray) -> np.ndarray:
        """Hold all channels; a stretch at the very beginning takes its own first value."""
        lost = stretch(genes[0], genes[1], len(signal))
        signal[lost] = signal[max(0, lost.start - 1)]
        return signal


bind = Dropout
