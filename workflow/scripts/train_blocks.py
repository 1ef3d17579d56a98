"""Entry script of rule ``train_blocks``: train a network under a split by spatial blocks, for its accuracy alone."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.config.networks import Networks
from quantrift.models.spatially_disjoint import train_blocks

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    name = snakemake.wildcards.model
    networks = Networks.model_validate({name: snakemake.params.settings})
    folder = Path(snakemake.output.facts).parent
    train_blocks(getattr(networks, name), Path(snakemake.input[0]), snakemake.wildcards.dataset, folder)
