"""Entry script of rule ``compress``: build a compressed model and audit it."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.study.compression import method
from quantrift.study.compression.build import build

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    build(
        snakemake.wildcards.compression,
        method.settings(snakemake.params.settings),
        Path(snakemake.input.facts).parent,
        Path(snakemake.input.inputs),
        Path(snakemake.output.model).parent,
        snakemake.params.runtime,
    )
