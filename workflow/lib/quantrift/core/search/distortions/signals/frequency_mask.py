"""Frequency mask: some bins of a spectrogram say nothing, as behind a narrow filter (SpecAugment)."""

import numpy as np

from quantrift.core.search.distortions.genes import Gene, Setting, share
from quantrift.core.search.distortions.signal_distortion import SignalDistortion, stretch

PLACE = 100
BY_DEFAULT = False
GROUPS = ("spectrogram",)
SHARE = 0.1
"""Of the channels, at most."""


class FrequencyMask(SignalDistortion):
    """Where the bins begin, as a share of what they leave free, and their number."""

    def __init__(self, setting: Setting) -> None:
        channels = setting.shape[2]
        widest = share(SHARE * setting.strength, channels)
        super().__init__([Gene(0, 1, integer=False), Gene(0, widest)] if channels > 1 else [])

    def changed(self, signal: np.ndarray, genes: list[float], span: np.ndarray) -> np.ndarray:
        """Give each of these channels its own mean over time."""
        bins = stretch(genes[0], genes[1], signal.shape[1])
        signal[:, bins] = signal[:, bins].mean(axis=0, dtype=np.float64)
        return signal


bind = FrequencyMask
