"""The space of natural distortions of signals: what sensors, amplifiers, rooms, clocks and connections do.

A signal is (1, T, C), T steps of C channels; a spectrogram is one whose channels are frequencies. A candidate is one
flat vector, a block for each distortion: an activation gene followed by its parameters. They apply in the order in
which a signal comes about. Nothing leaves the range that its channel has in the inputs given: what would is clipped.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from annotated_types import Gt, Le

from quantrift.core.base.errors import QuantriftError
from quantrift.core.search.distortions.compound import Compound
from quantrift.core.search.distortions.folders import module_name, of_folder
from quantrift.core.search.distortions.genes import Setting
from quantrift.core.search.distortions.signal_distortion import SignalDistortion
from quantrift.core.search.space import Domain, Originals


@dataclass(frozen=True)
class Params:
    """Settings of the space."""

    distortions: tuple[str, ...] | None = None
    """Distortions that may be active, whatever order they are given in; those that say so by default. The name of a
    group stands for its distortions: ``default``, ``spectrogram``."""
    strengths: Mapping[str, Annotated[float, Gt(0), Le(1)]] = field(default_factory=dict)
    """Share of a distortion's full range, 1 for those that are not named. Full ranges are chosen mild: nothing narrows
    them, as a signal that comes later is far from itself by any norm."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "distortions", of_folder("signals", self.distortions, self.strengths))


class SignalDistortions(Compound):
    """The vectors that distort signals of one shape."""

    def __init__(self, params: Params, domain: Domain) -> None:
        low, high = domain.bounds
        channels = domain.shape[2]
        self._low, self._high = (np.broadcast_to(end, channels) for end in (low, high))
        names = params.distortions or ()
        super().__init__("signals", {name: Setting(domain.shape, params.strengths.get(name, 1)) for name in names})

    def decode(self, candidates: np.ndarray, originals: Originals, rows: np.ndarray) -> np.ndarray:
        """Distort copies of the seed inputs; see :class:`quantrift.core.search.space.Space`."""
        vectors = self.rounded(candidates)
        signals = originals.inputs[rows]
        for distortion, on, genes in self.at_work(vectors, SignalDistortion):
            for place, own in zip(on.tolist(), genes.tolist(), strict=True):
                signals[place, 0] = distortion.changed(signals[place, 0], own, self._high - self._low)
        return np.clip(signals, self._low, self._high, out=signals)


def modules(params: Params) -> list[str]:
    """Modules that the space loads by name; a change of one reruns the searches in this space."""
    return [module_name("signals", name) for name in params.distortions or ()]


def bind(params: Params, domain: Domain) -> SignalDistortions:
    """The space for signals of one shape.

    Raises:
        QuantriftError: the inputs are no signals.
    """
    if domain.shape[0] != 1 or domain.table is not None:
        raise QuantriftError(
            f"space.signal_distortions: made for signals (1, T, C), but inputs are {domain.shape}; take another space"
        )
    return SignalDistortions(params, domain)
