"""Entry script of rule ``metrics``: metrics of each run seed of one tool on one subject."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.core.statistics.run_seeds import write

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    write([Path(block) for block in snakemake.input], dict(snakemake.wildcards.items()), Path(snakemake.output[0]))
