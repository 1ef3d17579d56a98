"""Entry script of rule ``adopt_compressed``: take over a compressed network from a file, audit and measure it."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.compression.adopt import adopt
from quantrift.config.load import of_job
from quantrift.data.official import Places, official

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    config = of_job(Path(snakemake.scriptdir), snakemake.config)
    names = snakemake.wildcards
    file = config.models.files[names.model].compressed[names.compression]
    adopt(
        names.compression,
        official(Places.of(config.data), file),
        Path(snakemake.input.facts).parent,
        Path(snakemake.input.inputs),
        Path(snakemake.output.model).parent,
    )
