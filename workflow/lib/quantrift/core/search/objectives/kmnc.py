"""Coverage fitness: difference between the neuron coverage signatures of both models (DiverGet Eq. 5 to 7).

The values that a neuron takes on the training inputs are divided into k equal sections (k-multisection neuron
coverage, KMNC); an input's signature is the set of sections that it reaches, one of each neuron.
"""

from dataclasses import dataclass
from typing import Annotated, Literal, cast

import numpy as np
from annotated_types import Ge, Le

from quantrift.core.networks.neuron_profile import Profile
from quantrift.core.pairs.pair import Outputs

NEURONS = True


@dataclass(frozen=True)
class Params:
    """Settings of the objective."""

    k: Annotated[int, Ge(1), Le(1000)] = 10
    """Sections of each neuron; the paper does not say (chosen, the practice of DeepGauge and DeepHunter)."""
    variant: Literal["paper", "code"] = "paper"
    """``paper``: the Jaccard index |A n B| / (|A| + |B| - |A n B|), which DiverGet §4.4.2 (ii) names. ``code``: its
    Eq. 6 as published, with a plus in place of the minus. Both order candidates alike; means over a batch differ."""


def sections(values: np.ndarray, profile: Profile, k: int) -> np.ndarray:
    """The section in which each neuron's value lies, int16 (n, M): 0 .. k - 1, the top edge in the last.

    Values below and above the profile's belong to two corner sections, -1 and k.

    Args:
        values: float32 (n, M).
        profile: of the M neurons.
        k: number of sections, at most 1000.
    """
    low, high = profile.low.astype(np.float64), profile.high.astype(np.float64)
    # Limited first, so that values far outside stay within the integers.
    found = np.minimum((np.clip(values, low, high) - low) / (high - low) * k, k - 1).astype(np.int16)
    found[values < low] = -1
    found[values > high] = k
    return found


@dataclass(frozen=True, eq=False)
class Kmnc:
    """The objective, for networks whose neurons have a profile."""

    params: Params
    profile: Profile

    def score(self, outputs: Outputs) -> np.ndarray:
        """Minus the Jaccard index of both signatures; see :class:`quantrift.core.search.objective.Objective`."""
        neurons = cast(tuple[np.ndarray, np.ndarray], (outputs.neurons_original, outputs.neurons_compressed))
        first, second = (sections(values, self.profile, self.params.k) for values in neurons)
        # Each signature holds one section of every neuron.
        both, each = (first == second).sum(axis=1), first.shape[1]
        return -(both / (2 * each + (both if self.params.variant == "code" else -both)))[:, None]


bind = Kmnc
