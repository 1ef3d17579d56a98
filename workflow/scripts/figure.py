"""Entry script of rule ``figure``: make one figure, of any kind."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.study.results.figures import make_figure
from quantrift.study.results.targets.given_files import of_job

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    make_figure.make(snakemake.params.target, of_job(snakemake), Path(snakemake.output[0]).with_suffix(""))
