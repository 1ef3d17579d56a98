"""Drop-out: a stretch is lost, and the last value before it is held."""

import numpy as np

from quantrift.core.search.distortions.genes import Gene, Setting, SignalDistortion, share, stretch, up_to

PLACE = 80
GROUPS = ("default",)


def bind(setting: Setting) -> SignalDistortion:
    """Where the stretch begins, as a share of what it leaves free, and its length, at most a tenth of the steps."""
    steps = setting.shape[1]
    return SignalDistortion([up_to(1), Gene(0, share(0.1 * setting.strength, steps))] if steps > 1 else [], apply)


def apply(signal: np.ndarray, genes: list[float], span: np.ndarray) -> None:
    """Hold all channels; a stretch at the very beginning takes its own first value."""
    lost = stretch(genes[0], genes[1], len(signal))
    signal[lost] = signal[max(0, lost.start - 1)]
