"""Entry script of rule ``seeds``: choose the seed inputs of each run seed."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.data.inputs import Inputs
from quantrift.models.runtimes.litert import LiteRT
from quantrift.subjects.seeds import draw, pool, write

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    inputs = Inputs.load(snakemake.input.inputs)
    seeds = draw(
        pool(inputs, LiteRT(snakemake.input.original)),
        snakemake.wildcards.dataset,
        snakemake.wildcards.model,
        run_seeds=snakemake.params.run_seeds,
        inputs=snakemake.params.inputs,
        overlap=snakemake.params.overlap,
        skip=snakemake.params.skip,
    )
    write(Path(snakemake.output[0]), seeds, inputs)
