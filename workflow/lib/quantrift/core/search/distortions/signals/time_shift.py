"""Time shift: the signal comes earlier or later than it was cut out."""

import numpy as np

from quantrift.core.search.distortions.genes import Gene, Setting, SignalDistortion, share

PLACE = 10
GROUPS = ("default", "spectrogram")


def bind(setting: Setting) -> SignalDistortion:
    """Whole steps, later if positive, at most a tenth of all."""
    steps = setting.shape[1]
    reach = min(steps - 1, share(0.1 * setting.strength, steps))
    return SignalDistortion([Gene(-reach, reach)] if reach else [], apply)


def apply(signal: np.ndarray, genes: list[float], span: np.ndarray) -> None:
    """Move all channels; what comes in has the value of the end."""
    signal[:] = signal[np.clip(np.arange(len(signal)) - int(genes[0]), 0, len(signal) - 1)]
