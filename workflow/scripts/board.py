"""Entry script of rule ``board``: put all pairs of the board on a page."""

from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.study.board.job import collect

with as_job() as job:
    collect(job.params.title, job.params.pairs, Path(job.output[0]).parent)
