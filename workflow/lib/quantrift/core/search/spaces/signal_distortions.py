"""The space of natural distortions of signals: what sensors, amplifiers, rooms, clocks and connections do.

A signal is (1, T, C), T steps of C channels; a spectrogram is one whose channels are frequencies. A candidate is one
flat vector, a block for each distortion: an activation gene followed by its parameters. They apply in the order in
which a signal comes about. Nothing leaves the range that its channel has in the inputs given: what would is clipped.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated

import numpy as np
from annotated_types import Gt, Le

from quantrift.core.base.errors import QuantriftError
from quantrift.core.search.distortions import compound
from quantrift.core.search.distortions.compound import Compound, of_folder
from quantrift.core.search.distortions.genes import Setting, SignalDistortion
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
    """The vectors that distort signals of one shape; inputs that are no signals are an error."""

    def __init__(self, params: Params, domain: Domain) -> None:
        if domain.shape[0] != 1 or domain.table is not None:
            raise QuantriftError(
                f"space.signal_distortions: made for signals (1, T, C), but inputs are {domain.shape}; take another "
                "space"
            )
        self._low, self._high = (np.broadcast_to(end, domain.shape[2]) for end in domain.bounds)
        super().__init__("signals", params, partial(Setting, domain.shape))

    def decode(self, candidates: np.ndarray, originals: Originals, rows: np.ndarray) -> np.ndarray:
        """Distort copies of the seed inputs; see :class:`quantrift.core.search.space.Space`."""
        signals = originals.inputs[rows]
        for distortion, on, genes in self.at_work(self.rounded(candidates), SignalDistortion):
            for place, own in zip(on.tolist(), genes.tolist(), strict=True):
                distortion.apply(signals[place, 0], own, self._high - self._low)
        return np.clip(signals, self._low, self._high, out=signals)


modules = partial(compound.modules, "signals")
bind = SignalDistortions
