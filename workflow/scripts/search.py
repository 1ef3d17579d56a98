"""Entry script of rule ``search``: search a block of seed inputs. Loads neither TensorFlow nor pydantic."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.core.base.seed_blocks import named
from quantrift.core.search.run import Budget, Files, Job, run
from quantrift.core.search.stopping import Stop

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    names = snakemake.wildcards
    budget = dict(snakemake.params.budget)
    stop = Stop(**{key: budget.pop(key) for key in ("goal", "first_attack", "patience")})
    isolated = budget.pop("isolated_of", None) is not None
    job = Job(
        subject={key: names[key] for key in ("dataset", "model", "compression", "protocol")},
        tool=names.tool,
        tool_settings=snakemake.params.tool,
        budget=Budget(**budget, stop=stop, isolated=isolated),
        vectors=snakemake.params.vectors,
        rows=snakemake.resources.batch,
        memory_mb=snakemake.resources.batch_mb,
    )
    run(job, Files.of(snakemake.input, **snakemake.params.networks), named(names.block), Path(snakemake.output[0]))
