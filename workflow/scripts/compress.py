"""Entry script of rule ``compress``: build a compressed model and audit it."""

from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.study.compression import method
from quantrift.study.compression.build import build

with as_job() as job:
    build(
        job.wildcards.compression,
        method.settings(job.params.settings),
        Path(job.input.facts).parent,
        Path(job.input.inputs),
        Path(job.output.model).parent,
        job.params.runtime,
    )
