"""Entry script of rules ``adopt`` and ``adopt_tflite``: take over a network from a file."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.config.load import of_job
from quantrift.data.official import Places, official
from quantrift.models.adopt import adopt

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    config = of_job(Path(snakemake.scriptdir), snakemake.config)
    settings = config.models.files[snakemake.wildcards.model]
    adopt(
        snakemake.wildcards.model,
        settings,
        official(Places.of(config.data), settings.original),
        Path(snakemake.input[0]),
        Path(snakemake.output.facts).parent,
    )
