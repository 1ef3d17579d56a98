"""Entry script of rule ``mend_model``: quantize an original anew, with the fewest layers in float."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.core.settings.mendings import MendingSettings
from quantrift.study.compression.mend_job import mend_subject

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    given = snakemake.input
    mend_subject(
        (Path(given.original), Path(given.compressed)),
        Path(given.inputs),
        MendingSettings.model_validate(snakemake.params.settings),
        Path(snakemake.output[0]),
    )
