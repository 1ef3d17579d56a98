"""Entry script of rule ``profile``: measure the range of the original's neurons. Loads no TensorFlow."""

from importlib import import_module
from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.layer_values.neuron_ranges import measure

with as_job() as job:
    network = import_module(job.params.neurons).Neurons(Path(job.input.original))
    measure(network, Inputs.load(job.input.inputs)).write(Path(job.output[0]))
