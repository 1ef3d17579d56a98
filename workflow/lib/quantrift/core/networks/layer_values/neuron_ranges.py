"""Range of each neuron of a network on the training inputs (DiverGet §4.4.2 (ii))."""

import numpy as np

from quantrift.core.base.inputs import Inputs
from quantrift.core.base.progress_bar import bar
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
    with bar(total=len(inputs.train), desc="profiling neurons", unit=" inputs") as progress:
        for _, chosen, count in runs(inputs.train, BATCH):
            _, values = network(inputs.take(chosen))
            low, high = np.minimum(low, values.min(axis=0)), np.maximum(high, values.max(axis=0))
            progress.update(count)
    return Profile(network.layers, low, high)
