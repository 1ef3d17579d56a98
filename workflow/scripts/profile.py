"""Entry script of rule ``profile``: measure the range of the original's neurons. Loads no TensorFlow."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.layer_values.neuron_ranges import measure

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    given = snakemake.input
    network = import_module(snakemake.params.neurons).Neurons(Path(given.original))
    measure(network, Inputs.load(given.inputs)).write(Path(snakemake.output[0]))
