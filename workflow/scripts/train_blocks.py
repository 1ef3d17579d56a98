"""Entry script of rule ``train_blocks``: train a network under a split by spatial blocks, for its accuracy alone."""

from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.core.networks.training.spatially_disjoint import train_blocks
from quantrift.core.settings.networks import network_of
from quantrift.study.datasets.prepare import prepared

with as_job() as job:
    settings = network_of(job.wildcards.model, job.params.settings)
    inputs = prepared(Path(job.input[0]), settings, settings.id, job.wildcards.dataset)
    train_blocks(settings, inputs, Path(job.output.facts).parent)
