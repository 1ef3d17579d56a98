"""Interface of distortions of signals."""

from abc import ABC, abstractmethod

import numpy as np

from quantrift.core.search.distortions.compound import Distortion


class SignalDistortion(Distortion, ABC):
    """Changes one signal after the other, so that none depends on what stands beside it."""

    @abstractmethod
    def changed(self, signal: np.ndarray, genes: list[float], span: np.ndarray) -> np.ndarray:
        """The changed signal, float32 (T, C).

        Args:
            signal: float32 (T, C), steps and channels, as earlier distortions left it; it may be overwritten.
            genes: of the block, integer genes already rounded.
            span: greatest less least value observed of each channel, float32 (C,).
        """


def stretch(start: float, length: float, size: int) -> slice:
    """A stretch of whole places that begins at a share of what it leaves free, so that all of it fits in.

    Args:
        start: 0 to 1.
        length: number of places, at most ``size``.
        size: number of places that there are.
    """
    first = round(start * (size - int(length)))
    return slice(first, first + int(length))


def looked_up(signal: np.ndarray, places: np.ndarray) -> np.ndarray:
    """A signal, (T, C), at other places, float64 (T,), between neighbours linearly; it goes on as its ends are."""
    places = np.clip(places, 0, len(signal) - 1)
    before = np.floor(places).astype(np.int64)
    share = (places - before).astype(np.float32)[:, None]
    one, two = signal[before], signal[np.minimum(before + 1, len(signal) - 1)]
    found: np.ndarray = one + (two - one) * share
    return found
