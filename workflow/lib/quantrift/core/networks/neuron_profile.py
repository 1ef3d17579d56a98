"""Profile of a network's neurons: the range of each on the training inputs (DiverGet §4.4.2 (ii))."""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from quantrift.core.base.arrays import read_arrays, write_arrays
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.layer_values.neurons import Neurons

BATCH = 256
"""Inputs in memory at once."""


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


def measure(original: Path, inputs: Inputs) -> Profile:
    """The profile of a .tflite file on all training inputs, with progress on standard error.

    Raises:
        QuantriftError: if the file or the inputs are wrong.
    """
    network = Neurons(original)
    low = np.full(len(network.layers), np.inf, np.float32)
    high = -low
    # A log file keeps every update, a terminal only the last.
    pause = 0.1 if sys.stderr.isatty() else 15
    with tqdm(total=len(inputs.train), desc="profiling neurons", unit=" inputs", mininterval=pause) as progress:
        for start in range(0, len(inputs.train), BATCH):
            chosen = inputs.train[start : start + BATCH]
            _, values = network(inputs.take(chosen))
            low = np.minimum(low, values.min(axis=0))
            high = np.maximum(high, values.max(axis=0))
            progress.update(len(chosen))
    return Profile(network.layers, low, high)
