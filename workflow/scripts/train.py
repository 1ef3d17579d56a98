"""Entry script of rule ``train``: train a network, build its twin, convert it."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.core.networks.training.trained_network import train
from quantrift.core.settings.networks import Networks

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    name = snakemake.wildcards.model
    networks = Networks.model_validate({name: snakemake.params.settings})
    train(name, getattr(networks, name), Path(snakemake.input[0]), Path(snakemake.output.original).parent)
