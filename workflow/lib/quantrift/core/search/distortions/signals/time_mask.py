"""Time mask: some steps of a spectrogram say nothing, as a click or a pause hides what was said (SpecAugment)."""

import numpy as np

from quantrift.core.search.distortions.genes import Gene, Setting, SignalDistortion, share, stretch, up_to

PLACE = 90
GROUPS = ("spectrogram",)


def bind(setting: Setting) -> SignalDistortion:
    """Where the steps begin, as a share of what they leave free, and their number, at most a tenth of all."""
    return SignalDistortion([up_to(1), Gene(0, share(0.1 * setting.strength, setting.shape[1]))], apply)


def apply(signal: np.ndarray, genes: list[float], span: np.ndarray) -> None:
    """Give these steps the mean of each channel."""
    signal[stretch(genes[0], genes[1], len(signal))] = signal.mean(axis=0, dtype=np.float64)
