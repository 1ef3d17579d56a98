"""Entry script of rule ``calibrate``: find the strengths of a space's distortions. Loads no network."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.core.base.inputs import Inputs
from quantrift.core.search.calibrated import write
from quantrift.core.search.strength_search import of_settings

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    found = of_settings(snakemake.params.settings, Inputs.load(snakemake.input[0]))
    write(found, Path(snakemake.output[0]))
