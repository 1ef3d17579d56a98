"""Entry script of rule ``shrink``: shrink DII to the distortions that they need. Loads no TensorFlow."""

from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.core.search.records.shrinking import shrink
from quantrift.core.search.run import Searched

with as_job() as job:
    shrink(
        [Path(file) for file in job.input.records],
        Searched.of(job.input, **job.params.networks),
        Path(job.output[0]),
        **job.params.settings,
        rows=job.resources.batch,
    )
