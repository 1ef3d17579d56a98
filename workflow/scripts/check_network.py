"""Entry script of rule ``check_network``: ask every checker about the planted pairs of a network."""

from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.study.league.workflow_job import check_network

with as_job() as job:
    check_network(job.wildcards.network, job.wildcards.files, job.params.draws, Path(job.output[0]))
