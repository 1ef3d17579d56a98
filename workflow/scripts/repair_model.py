"""Entry script of rule ``repair_model``: train a compressed network on half of its DII, judge it on the rest."""

from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.core.settings.sections import RepairSettings
from quantrift.study.compression.repair_job import Repaired, repair

with as_job() as job:
    repair(
        [Path(file) for file in job.input.records],
        Repaired(*(Path(job.input[name]) for name in ("inputs", "original", "compressed")), job.params.runtime),
        job.params.compression,
        RepairSettings.model_validate(job.params.settings),
        Path(job.output[0]),
    )
