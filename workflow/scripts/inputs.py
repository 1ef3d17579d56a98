"""Entry script of rule ``inputs``: write a dataset as one network sees it."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.config.networks import Networks
from quantrift.data.prepare import prepare

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    name = snakemake.wildcards.model
    networks = Networks.model_validate({name: snakemake.params.settings})
    prepare(Path(snakemake.input[0]), getattr(networks, name), snakemake.wildcards.dataset, Path(snakemake.output[0]))
