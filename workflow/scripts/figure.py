"""Entry script of rule ``figure``: make one figure, of any kind."""

from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.study.results.figures import finished_figure
from quantrift.study.results.targets.given_files import of_job

with as_job() as job:
    finished_figure.make(job.params.target, of_job(job), Path(job.output[0]).with_suffix(""))
