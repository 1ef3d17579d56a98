"""Band stop: a filter, a room or a resonance takes a band of frequencies away."""

import numpy as np

from quantrift.core.search.distortions.genes import Gene, Setting, SignalDistortion, up_to

PLACE = 60
GROUPS = ("default",)
CENTRE = (0.05, 0.9)
"""Of the band, as a share of half the sampling rate."""
WIDTH = 0.1
"""Of the band at most, likewise; the least frequency of the widest band is above zero."""


def bind(setting: Setting) -> SignalDistortion:
    """Centre and width of the band, as shares of half the sampling rate; none of a signal of fewer than 16 steps."""
    width = up_to(min(WIDTH, 1.9 * CENTRE[0]) * setting.strength)
    return SignalDistortion([Gene(*CENTRE, integer=False), width] if setting.shape[1] >= 16 else [], apply)


def apply(signal: np.ndarray, genes: list[float], span: np.ndarray) -> None:
    """Filter each channel by a Butterworth filter forwards and backwards, so that it delays nothing."""
    centre, width = genes
    # Narrower bands change nothing.
    if width >= 1e-3:
        # Only here: it takes a while to load.
        from scipy.signal import butter, sosfiltfilt

        sections = butter(2, (centre - width / 2, centre + width / 2), "bandstop", output="sos")
        padded = min(3 * (2 * len(sections) + 1), len(signal) - 1)
        signal[:] = sosfiltfilt(sections, signal.astype(np.float64), axis=0, padlen=padded)
