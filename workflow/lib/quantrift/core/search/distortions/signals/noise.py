"""Additive noise at a stated signal-to-noise ratio."""

import numpy as np

from quantrift.core.search.distortions.genes import Gene, Setting
from quantrift.core.search.distortions.signal_distortion import SignalDistortion

PLACE = 50
BY_DEFAULT = True
GROUPS = ("spectrogram",)
RATIO = 0.1
"""Of the noise's to the signal's root mean square, at most: a signal-to-noise ratio of 20 dB at least."""
PATTERNS = 2**16
"""Patterns of noise that there are."""


class Noise(SignalDistortion):
    """Ratio r of root mean squares, for -20 log10(r) dB, and the number of the pattern."""

    def __init__(self, setting: Setting) -> None:
        super().__init__([Gene(0, RATIO * setting.strength, integer=False), Gene(0, PATTERNS - 1)])

    def changed(self, signal: np.ndarray, genes: list[float], span: np.ndarray) -> np.ndarray:
        """Add Gaussian noise to each channel, by the root mean square of the channel about its own mean."""
        pattern = np.random.Generator(np.random.PCG64(int(genes[1]))).standard_normal(signal.shape, np.float32)
        pattern *= np.float32(genes[0]) * signal.std(axis=0, dtype=np.float64).astype(np.float32)
        signal += pattern
        return signal


bind = Noise
