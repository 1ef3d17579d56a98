"""Entry script of rule ``adopt_compressed``: take over a compressed network from a file, audit and measure it."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.compression.given_compressed import adopt
from quantrift.config.datasets import SourceFile
from quantrift.data.addresses import of_job
from quantrift.data.official import Places, checked, official
from quantrift.models.foreign.confinement import confined_to
from quantrift.models.foreign.given_files import GivenFiles

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    settings = SourceFile.model_validate(snakemake.params.file)
    file = official(Places.of_job(of_job(snakemake.config)), settings)
    out = Path(snakemake.output.model).parent
    with confined_to(out), GivenFiles() as given:
        copy = checked(given.file(file), settings)
        adopt(
            snakemake.wildcards.compression, copy, Path(snakemake.input.facts).parent, Path(snakemake.input.inputs), out
        )
