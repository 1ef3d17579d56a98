"""Entry script of rule ``layers_of_dii``: compare layers on difference-inducing inputs and on their seed inputs."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.core.networks.layer_errors import write_sides
from quantrift.core.search.records.layers_on_dii import compare

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    given = snakemake.input
    files = [Path(file) for file in given.records]
    found = compare(files, Path(given.original), Path(given.compressed), snakemake.params.dii, snakemake.params.seed)
    write_sides(found, Path(snakemake.output[0]))
