"""Band stop: a filter, a room or a resonance takes a band of frequencies away."""

import numpy as np

from quantrift.core.search.distortions.genes import Gene, Setting, SignalDistortion, up_to

PLACE = 60
GROUPS = ("default",)
CENTRE = (0.05, 0.9)
"""Of the band, as a share of half the sampling rate."""
WIDTH = 0.1
"""Of the band at most, likewise; the least frequency of the widest band is above zero."""
LEAST_WIDTH = 1e-3
"""Narrower bands change nothing."""
ORDER = 2
"""Of the Butterworth filter, which runs forwards and backwards, so that it delays nothing."""
STEPS = 16
"""Fewest steps of a signal that has frequencies to speak of."""


def bind(setting: Setting) -> SignalDistortion:
    """Centre and width of the band, as shares of half the sampling rate."""
    width = up_to(min(WIDTH, 1.9 * CENTRE[0]) * setting.strength)
    return SignalDistortion([Gene(*CENTRE, integer=False), width] if setting.shape[1] >= STEPS else [], apply)


def apply(signal: np.ndarray, genes: list[float], span: np.ndarray) -> None:
    """Filter each channel."""
    centre, width = genes
    if width >= LEAST_WIDTH:
        # Only here: it takes a while to load.
        from scipy.signal import butter, sosfiltfilt

        sections = butter(ORDER, (centre - width / 2, centre + width / 2), "bandstop", output="sos")
        padded = min(3 * (2 * len(sections) + 1), len(signal) - 1)
        signal[:] = sosfiltfilt(sections, signal.astype(np.float64), axis=0, padlen=padded)
