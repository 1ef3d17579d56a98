"""Entry script of rules ``adopt`` and ``adopt_tflite``: take over a network from a file."""

from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.core.networks.foreign.confinement import confined_to
from quantrift.core.networks.foreign.given_files import GivenFiles
from quantrift.core.networks.training.given_original import adopt
from quantrift.core.settings.model_files import ModelFile
from quantrift.study.datasets.addresses import of_job
from quantrift.study.datasets.official import Places, checked, official

with as_job() as job:
    settings = ModelFile.model_validate(job.params.settings)
    file = official(Places.of(of_job(job.config)), settings.original)
    out = Path(job.output.facts).parent
    with confined_to(out), GivenFiles() as given:
        adopt(job.wildcards.model, settings, checked(given.file(file), settings.original), Path(job.input[0]), out)
