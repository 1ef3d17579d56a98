"""Entry script of rule ``repair_model``: train a compressed network on half of its DII, judge it on the rest."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.core.settings.repairs import RepairSettings
from quantrift.study.compression.repair_job import Repaired, repair

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    repair(
        [Path(file) for file in snakemake.input.records],
        Repaired(
            *(Path(snakemake.input[name]) for name in ("inputs", "original", "compressed")), snakemake.params.runtime
        ),
        snakemake.params.compression,
        RepairSettings.model_validate(snakemake.params.settings),
        Path(snakemake.output[0]),
    )
