"""Entry script of rule ``search``: search a block of run seeds. Loads neither TensorFlow nor pydantic."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.config.blocks import run_seeds
from quantrift.records.job import Files, Job, run

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    names = snakemake.wildcards
    job = Job(
        subject={key: names[key] for key in ("dataset", "model", "compression", "protocol")},
        tool=names.tool,
        tool_settings=snakemake.params.tool,
        generations=snakemake.params.generations,
        vectors=snakemake.params.vectors,
        batch=snakemake.resources.batch,
        memory_mb=snakemake.resources.memory_mb,
    )
    files = Files(**{name: Path(snakemake.input[name]) for name in ("inputs", "original", "compressed", "seeds")})
    run(job, files, run_seeds(names.block), Path(snakemake.output[0]))
