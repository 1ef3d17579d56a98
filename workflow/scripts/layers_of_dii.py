"""Entry script of rule ``layers_of_dii``: compare layers on difference-inducing inputs and on their seed inputs."""

from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.core.networks.layer_errors import write_sides
from quantrift.core.search.records.layers_on_dii import compare

with as_job() as job:
    files, original, compressed = list(map(Path, job.input.records)), job.input.original, job.input.compressed
    found = compare(files, Path(original), Path(compressed), job.params.dii, job.params.seed)
    write_sides(found, Path(job.output[0]))
