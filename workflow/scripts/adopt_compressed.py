"""Entry script of rule ``adopt_compressed``: take over a compressed network from a file, audit and measure it."""

from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.core.networks.foreign.confinement import confined_to
from quantrift.core.networks.foreign.given_files import GivenFiles
from quantrift.core.settings.datasets import SourceFile
from quantrift.study.compression.given_compressed import adopt
from quantrift.study.datasets.addresses import of_job
from quantrift.study.datasets.official import Places, checked, official

with as_job() as job:
    settings = SourceFile.model_validate(job.params.file)
    file = official(Places.of(of_job(job.config)), settings)
    out = Path(job.output.model).parent
    with confined_to(out), GivenFiles() as given:
        copy = checked(given.file(file), settings)
        adopt(job.wildcards.compression, copy, Path(job.input.facts).parent, Path(job.input.inputs), out)
