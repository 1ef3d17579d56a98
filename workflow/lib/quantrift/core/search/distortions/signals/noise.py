"""Additive noise at a stated signal-to-noise ratio."""

import numpy as np

from quantrift.core.search.distortions.genes import PATTERN, Setting, SignalDistortion, generator, up_to

PLACE = 50
GROUPS = ("default", "spectrogram")


def bind(setting: Setting) -> SignalDistortion:
    """Ratio r of root mean squares, noise to signal, for -20 log10(r) >= 20 dB, and the number of the pattern."""
    return SignalDistortion([up_to(0.1 * setting.strength), PATTERN], apply)


def apply(signal: np.ndarray, genes: list[float], span: np.ndarray) -> None:
    """Add Gaussian noise to each channel, by the root mean square of the channel about its own mean."""
    deviation = np.float32(genes[0]) * signal.std(axis=0, dtype=np.float64).astype(np.float32)
    signal += generator(genes[1]).standard_normal(signal.shape, np.float32) * deviation
