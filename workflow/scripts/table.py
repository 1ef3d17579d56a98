"""Entry script of rule ``table``: make one table, of any kind."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.core.page.provenance import collect
from quantrift.core.settings.datasets import official_files
from quantrift.study.results.tables import make_table
from quantrift.study.results.targets.given_files import of_job

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    given = of_job(snakemake)
    official = [file for dataset in given.datasets.values() for file in official_files(dataset)]
    stated = {name: snakemake.params[name] for name in ("target", "datasets", "states", "titles", "scale")}
    facts = collect(stated, {file.path: file.sha256 for file in official})
    make_table.make(snakemake.params.target, given, Path(snakemake.output[0]).with_suffix(""), facts)
