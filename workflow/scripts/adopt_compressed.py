"""Entry script of rule ``adopt_compressed``: take over a compressed network from a file, audit and measure it."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.core.networks.foreign.confinement import confined_to
from quantrift.core.networks.foreign.given_files import GivenFiles
from quantrift.core.settings.datasets import SourceFile
from quantrift.study.compression.given_compressed import adopt
from quantrift.study.datasets.addresses import of_job
from quantrift.study.datasets.official import Places, checked, official

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
