"""Time shift: the signal comes earlier or later than it was cut out."""

import numpy as np

from quantrift.core.search.distortions.genes import Gene, Setting, share
from quantrift.core.search.distortions.signal_distortion import SignalDistortion

PLACE = 10
BY_DEFAULT = True
GROUPS = ("spectrogram",)
SHARE = 0.1
"""Of the steps, at most."""


class TimeShift(SignalDistortion):
    """Whole steps, later if positive."""

    def __init__(self, setting: Setting) -> None:
        steps = setting.shape[1]
        reach = min(steps - 1, share(SHARE * setting.strength, steps))
        super().__init__([Gene(-reach, reach)] if reach else [])

    def changed(self, signal: np.ndarray, genes: list[float], span: np.ndarray) -> np.ndarray:
        """Move all channels; what comes in has the value of the end."""
        places = np.clip(np.arange(len(signal)) - int(genes[0]), 0, len(signal) - 1)
        moved: np.ndarray = signal[places]
        return moved


bind = TimeShift
