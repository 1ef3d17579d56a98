"""Entry script of rule ``compress``: build a compressed model and audit it."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.compression.build import build
from quantrift.config.networks import Compressions

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    name = snakemake.wildcards.compression
    compressions = Compressions.model_validate({name: snakemake.params.settings})
    build(
        name,
        getattr(compressions, name),
        Path(snakemake.input.facts).parent,
        Path(snakemake.input.inputs),
        Path(snakemake.output.model).parent,
    )
