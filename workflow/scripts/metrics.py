"""Entry script of rule ``metrics``: metrics of each run seed of one tool on one subject."""

from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.core.statistics.run_seeds import write

with as_job() as job:
    write([Path(block) for block in job.input], dict(job.wildcards.items()), Path(job.output[0]))
