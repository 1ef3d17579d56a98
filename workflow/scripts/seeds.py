"""Entry script of rule ``seeds``: choose the seed inputs of each run seed."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.core.base.inputs import Inputs
from quantrift.core.pairs.seed_inputs import alike, by_class, draw, pool, write

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    inputs = Inputs.load(snakemake.input.inputs)
    load = import_module(snakemake.params.runtime).load
    original = load(snakemake.input.original)
    correct = snakemake.params.correct
    candidates = pool(inputs, original, correct)
    serving = alike(inputs, candidates, original, map(load, snakemake.input.get("agree", [])), correct)
    wanted = snakemake.params.inputs
    seeds = draw(
        candidates,
        snakemake.wildcards.dataset,
        snakemake.wildcards.model,
        run_seeds=snakemake.params.run_seeds,
        inputs=len(serving) if wanted == "all" else wanted,
        overlap=snakemake.params.overlap,
        skip=snakemake.params.skip,
        among=by_class(inputs, serving) if snakemake.params.per_class else {"": serving},
    )
    write(Path(snakemake.output[0]), seeds, inputs)
