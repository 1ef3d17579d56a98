"""Entry script of rule ``train_blocks``: train a network under a split by spatial blocks, for its accuracy alone."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.core.networks.training.spatially_disjoint import train_blocks
from quantrift.core.settings.networks import Networks
from quantrift.study.datasets.prepare import prepared

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    name = snakemake.wildcards.model
    networks = Networks.model_validate({name: snakemake.params.settings})
    folder = Path(snakemake.output.facts).parent
    settings = getattr(networks, name)
    inputs = prepared(Path(snakemake.input[0]), settings, settings.id, snakemake.wildcards.dataset)
    train_blocks(settings, inputs, folder)
