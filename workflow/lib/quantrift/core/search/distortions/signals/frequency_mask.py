"""Frequency mask: some bins of a spectrogram say nothing, as behind a narrow filter (SpecAugment)."""

import numpy as np

from quantrift.core.search.distortions.genes import Gene, Setting, SignalDistortion, share, stretch, up_to

PLACE = 100
GROUPS = ("spectrogram",)


def bind(setting: Setting) -> SignalDistortion:
    """Where the bins begin, as a share of what they leave free, and their number, at most a tenth of the channels."""
    channels = setting.shape[2]
    return SignalDistortion([up_to(1), Gene(0, share(0.1 * setting.strength, channels))] if channels > 1 else [], apply)


def apply(signal: np.ndarray, genes: list[float], span: np.ndarray) -> None:
    """Give each of these channels its own mean over time."""
    bins = stretch(genes[0], genes[1], signal.shape[1])
    signal[:, bins] = signal[:, bins].mean(axis=0, dtype=np.float64)
