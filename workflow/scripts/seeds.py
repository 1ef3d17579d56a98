"""Entry script of rule ``seeds``: choose the seed inputs of each run seed."""

from importlib import import_module
from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.core.base.inputs import Inputs
from quantrift.core.pairs.seed_inputs import alike, by_class, draw, pool, write

with as_job() as job:
    inputs, params = Inputs.load(job.input.inputs), job.params
    load = import_module(params.runtime).load
    original = load(job.input.original)
    candidates = pool(inputs, original, params.correct)
    serving = alike(inputs, candidates, original, map(load, job.input.get("agree", [])), params.correct)
    seeds = draw(
        candidates,
        job.wildcards.dataset,
        job.wildcards.model,
        run_seeds=params.run_seeds,
        inputs=len(serving) if params.inputs == "all" else params.inputs,
        overlap=params.overlap,
        skip=params.skip,
        among=by_class(inputs, serving) if params.per_class else {"": serving},
    )
    write(Path(job.output[0]), seeds, inputs)
