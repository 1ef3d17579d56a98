"""Arrays to compute in, kept from call to call: the system takes longer to hand out fresh memory than to compute."""

from math import prod

import numpy as np


class WorkArrays:
    """Arrays by name; what one holds is lost when it is next asked for."""

    def __init__(self) -> None:
        self._held: dict[str, np.ndarray] = {}

    def get(self, name: str, shape: tuple[int, ...], kind: type[np.generic] = np.float32) -> np.ndarray:
        """An array of any content, C-contiguous, of type ``kind``; each name has one type."""
        size = prod(shape)
        if name not in self._held or self._held[name].size < size:
            self._held[name] = np.empty(size, kind)
        return self._held[name][:size].reshape(shape)
