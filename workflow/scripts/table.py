"""Entry script of rule ``table``: make one table, of any kind."""

from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.core.page.provenance import collect
from quantrift.core.settings.datasets import official_files
from quantrift.study.results.tables import finished_table
from quantrift.study.results.targets.given_files import of_job

with as_job() as job:
    given = of_job(job)
    official = [file for dataset in given.datasets.values() for file in official_files(dataset)]
    stated = {name: job.params[name] for name in ("target", "datasets", "states", "titles", "scale")}
    facts = collect(stated, {file.path: file.sha256 for file in official})
    finished_table.make(job.params.target, given, Path(job.output[0]).with_suffix(""), facts)
