"""A network on inputs as given, with the values of its other inputs beside the one that is changed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quantrift.core.base.carried_rows import joined
from quantrift.core.networks.runtime_protocol import Runtime


@dataclass(frozen=True, eq=False)
class AmongGiven:
    """A network, and values of its other inputs."""

    network: Runtime
    others: Sequence[np.ndarray] = ()
    """Of all N inputs as given, float32 (N, ...) each; none where the network has one input."""

    def __call__(self, inputs: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Logits, float32 (n, K).

        Args:
            inputs: to change, float32 (n, H, W, C).
            numbers: of the given inputs that they come from, int64 (n,).
        """
        if not self.others:
            return self.network(inputs)
        return self.network(joined(inputs, [one[numbers] for one in self.others]))
