"""Two networks that show their neurons, for tools whose objective looks into them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from quantrift.core.base.errors import refuse
from quantrift.core.networks.layer_values.neurons import Neurons, inner, shared
from quantrift.core.networks.neuron_profile import Profile
from quantrift.core.pairs.pair import FROM_FILES, Loaded, Outputs, check_fit


@dataclass(frozen=True)
class ObservedPair:
    """Two networks for the same inputs and classes, with the values of the neurons that both have."""

    original: Neurons
    compressed: Neurons
    """With as many neurons, in the same order."""
    chosen: np.ndarray
    """Numbers of the neurons that are compared, int (M,)."""
    profile: Profile
    """Profile of the original's M neurons on the training inputs; ``low`` is less than ``high`` everywhere."""

    def __call__(self, x: np.ndarray) -> Outputs:
        """See ``Networks``."""
        (first, of_first), (second, of_second) = self.original(x), self.compressed(x)
        # Unlike an index, ``take`` leaves each row in one piece.
        return Outputs(first, second, of_first.take(self.chosen, axis=1), of_second.take(self.chosen, axis=1))


def load_observed(
    original: Path,
    compressed: Path,
    profile: Path,
    original_runtime: str = "litert",
    loaded: Loaded = FROM_FILES,
    neurons: Callable[[Path], Neurons] = Neurons,
) -> ObservedPair:
    """Load both models with the values of the neurons that both have, on LiteRT, in batches of their own.

    Neurons that never change on the training inputs are left out, as they have no sections (DiverGet §4.4.2 (ii)).

    Args:
        original: .tflite file.
        compressed: .tflite file.
        profile: of the original's neurons (``networks.neuron_profile``).
        original_runtime: runtime of the original's file; LiteRT alone shows neurons.
        loaded: networks that are not loaded, but given; they show none.
        neurons: reads the neurons of a file.

    Raises:
        QuantriftError: if a file cannot be read, the two models do not fit each other, their layers share nothing, or
            one shows no neurons.
    """
    refuse(
        (
            loaded.roles,
            f"the {' and the '.join(loaded.roles)} called from Python shows no neurons; choose an objective that "
            "looks at outputs alone, like jensen_shannon",
        ),
        (
            original_runtime != "litert",
            f"{original}: runs on {original_runtime}, which does not show its neurons; choose an objective that "
            "looks at outputs alone, like jensen_shannon",
        ),
    )
    first, second, stored = neurons(original), neurons(compressed), Profile.read(profile)
    check_fit(first, second, original, compressed)
    groups = shared(first.groups, second.groups)
    refuse(
        (
            stored.layers.tolist() != first.layers.tolist(),
            f"{profile}: made of another network than {original}; make it again",
        ),
        (
            not inner(groups),
            f"{compressed}: shares no neurons with {original} before its output, as no layer has the same name and "
            "size in both; choose an objective that looks at outputs alone, like jensen_shannon",
        ),
    )
    common = stored.only(np.flatnonzero(np.isin(stored.layers, [one.layer.name for one, _ in groups])))
    chosen = np.flatnonzero(common.low < common.high)
    both = first.only([one for one, _ in groups]), second.only([other for _, other in groups])
    return ObservedPair(*both, chosen, common.only(chosen))
