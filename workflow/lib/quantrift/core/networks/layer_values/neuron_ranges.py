"""Range of each neuron of a network on the training inputs (DiverGet §4.4.2 (ii))."""

import sys

import numpy as np
from tqdm import tqdm

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.batches import runs
from quantrift.core.networks.layer_values.neurons import Neurons
from quantrift.core.networks.neuron_profile import Profile

BATCH = 256
"""Inputs in memory at once."""


def measure(network: Neurons, inputs: Inputs) -> Profile:
    """The profile of a network on all training inputs, with progress on standard error.

    Raises:
        QuantriftError: if the inputs are no inputs of the network.
    """
    low = np.full(len(network.layers), np.inf, np.float32)
    high = -low
    # A log file keeps every update, a terminal only the last.
    pause = 0.1 if sys.stderr.isatty() else 15
    with tqdm(total=len(inputs.train), desc="profiling neurons", unit=" inputs", mininterval=pause) as progress:
        for _, chosen, count in runs(inputs.train, BATCH):
            _, values = network(inputs.take(chosen))
            low, high = np.minimum(low, values.min(axis=0)), np.maximum(high, values.max(axis=0))
            progress.update(count)
    return Profile(network.layers, low, high)
