"""Entry script of rules ``adopt`` and ``adopt_tflite``: take over a network from a file."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.config.load import of_job
from quantrift.data.official import Places, official
from quantrift.models.adopt import adopt
from quantrift.models.foreign.confinement import confined_to

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    config = of_job(Path(snakemake.scriptdir), snakemake.config)
    settings = config.models.files[snakemake.wildcards.model]
    file = official(Places.of(config.data), settings.original)
    out = Path(snakemake.output.facts).parent
    with confined_to(out):
        adopt(snakemake.wildcards.model, settings, file, Path(snakemake.input[0]), out)
