"""Profile of a network's neurons: the range of each on the training inputs (DiverGet §4.4.2 (ii))."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quantrift.core.base.archive import read_arrays, write_arrays


@dataclass(frozen=True, eq=False)
class Profile:
    """Smallest and largest value of each of M neurons."""

    layers: NDArray[np.str_]
    """Name of the layer of each, (M,)."""
    low: NDArray[np.float32]
    """(M,)."""
    high: NDArray[np.float32]
    """(M,), nowhere less than ``low``."""

    def write(self, path: Path) -> None:
        """Write all of it to one .npz file."""
        write_arrays(path, vars(self))

    @staticmethod
    def read(path: Path) -> "Profile":
        """Read the file that ``write`` made."""
        return Profile(**read_arrays(path))

    def only(self, neurons: NDArray[np.intp]) -> "Profile":
        """The profile of some neurons, by their numbers."""
        return Profile(self.layers[neurons], self.low[neurons], self.high[neurons])
