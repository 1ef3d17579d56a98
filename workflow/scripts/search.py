"""Entry script of rule ``search``: search a block of seed inputs. Loads neither TensorFlow nor pydantic."""

from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.core.base.seed_blocks import named
from quantrift.core.search.run import Budget, Files, Job, run
from quantrift.core.search.stopping import Stop

with as_job() as given:
    names, params = given.wildcards, given.params
    budget = dict(params.budget)
    stop = Stop(**{key: budget.pop(key) for key in ("goal", "first_attack", "patience")})
    isolated = budget.pop("isolated_of", None) is not None
    job = Job(
        subject={key: names[key] for key in ("dataset", "model", "compression", "protocol")},
        tool=names.tool,
        tool_settings=params.tool,
        budget=Budget(**budget, stop=stop, isolated=isolated),
        vectors=params.vectors,
        rows=given.resources.batch,
        memory_mb=given.resources.batch_mb,
    )
    run(job, Files.of(given.input, **params.networks), named(names.block), Path(given.output[0]))
