"""Time mask: some steps of a spectrogram say nothing, as a click or a pause hides what was said (SpecAugment)."""

import numpy as np

from quantrift.core.search.distortions.genes import Gene, Setting, share
from quantrift.core.search.distortions.signal_distortion import SignalDistortion, stretch

PLACE = 90
BY_DEFAULT = False
GROUPS = ("spectrogram",)
SHARE = 0.1
"""Of the steps, at most."""


class TimeMask(SignalDistortion):
    """Where the steps begin, as a share of what they leave free, and their number."""

    def __init__(self, setting: Setting) -> None:
        longest = share(SHARE * setting.strength, setting.shape[1])
        super().__init__([Gene(0, 1, integer=False), Gene(0, longest)])

    def changed(self, signal: np.ndarray, genes: list[float], span: np.ndarray) -> np.ndarray:
        """Give these steps the mean of each channel."""
        signal[stretch(genes[0], genes[1], len(signal))] = signal.mean(axis=0, dtype=np.float64)
        return signal


bind = TimeMask
