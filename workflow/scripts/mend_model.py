"""Entry script of rule ``mend_model``: quantize an original anew, with the fewest layers in float."""

from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.core.settings.sections import MendingSettings
from quantrift.study.compression.mend_job import mend_subject

with as_job() as job:
    mend_subject(
        (Path(job.input.original), Path(job.input.compressed)),
        Path(job.input.inputs),
        MendingSettings.model_validate(job.params.settings),
        Path(job.output[0]),
    )
