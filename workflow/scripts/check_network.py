"""Entry script of rule ``check_network``: ask every checker about the planted pairs of a network."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.study.league.workflow_job import check_network

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    names = snakemake.wildcards
    check_network(names.network, names.files, snakemake.params.draws, Path(snakemake.output[0]))
