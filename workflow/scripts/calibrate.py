"""Entry script of rule ``calibrate``: find the strengths of a space's distortions. Loads no network."""

from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.core.base.inputs import Inputs
from quantrift.core.search.calibrated import write
from quantrift.core.search.strength_search import of_settings

with as_job() as job:
    write(of_settings(job.params.settings, Inputs.load(job.input[0])), Path(job.output[0]))
