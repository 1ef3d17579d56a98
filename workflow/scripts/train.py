"""Entry script of rule ``train``: train a network, build its twin, convert it."""

from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.core.networks.training.trained_network import train
from quantrift.core.settings.networks import network_of

with as_job() as job:
    name = job.wildcards.model
    train(name, network_of(name, job.params.settings), Path(job.input[0]), Path(job.output.original).parent)
