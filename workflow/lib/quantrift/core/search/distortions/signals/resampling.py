"""Resampling: what is measured goes slower or faster, or the clock of the converter does."""

import numpy as np

from quantrift.core.search.distortions.genes import Setting, SignalDistortion, around

PLACE = 20
GROUPS = ("default", "spectrogram")


def bind(setting: Setting) -> SignalDistortion:
    """Doublings of the speed, faster if positive, at most a quarter: from 0.84 to 1.19 times."""
    return SignalDistortion([around(0.25 * setting.strength)] if setting.shape[1] > 1 else [], apply)


def apply(signal: np.ndarray, genes: list[float], span: np.ndarray) -> None:
    """Look the signal up about its middle, between neighbours linearly; it goes on as its ends are."""
    last = len(signal) - 1
    places = np.clip(last / 2 + 2.0 ** genes[0] * (np.arange(len(signal)) - last / 2), 0, last)
    before = np.floor(places).astype(np.int64)
    one, two = signal[before], signal[np.minimum(before + 1, last)]
    signal[:] = one + (two - one) * (places - before).astype(np.float32)[:, None]
