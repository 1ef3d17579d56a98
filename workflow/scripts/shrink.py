"""Entry script of rule ``shrink``: shrink DII to the distortions that they need. Loads no TensorFlow."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.core.search.records.shrinking import shrink
from quantrift.core.search.run import Searched

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    shrink(
        [Path(file) for file in snakemake.input.records],
        Searched.of(snakemake.input, **snakemake.params.networks),
        Path(snakemake.output[0]),
        **snakemake.params.settings,
        rows=snakemake.resources.batch,
    )
