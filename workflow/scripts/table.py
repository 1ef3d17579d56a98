"""Entry script of rule ``table``: make one table, of any kind."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from quantrift.cli.entry import as_job
from quantrift.config.datasets import AnyDataset, official_files
from quantrift.config.targets import AnyTarget
from quantrift.report.provenance import collect
from quantrift.tables import calibration, compare_to_baseline, compression, models

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    given = snakemake.params
    target = TypeAdapter(AnyTarget).validate_python(given.target)
    datasets = TypeAdapter(dict[str, AnyDataset]).validate_python(given.datasets)
    files = [Path(file) for file in snakemake.input.made_from]
    published = [Path(file) for file in snakemake.input.published]
    stem = Path(snakemake.output[0]).with_suffix("")
    data = {file.path: file.sha256 for dataset in datasets.values() for file in official_files(dataset)}
    context: dict[str, Any] = {"scale": given.scale, "provenance": collect(given.config_digest, data)}
    first = published[0] if published else None
    match target.kind:
        case "models":
            facts = {(file.parts[-3], file.parts[-2]): file for file in files}
            blocks = {(file.parts[-4], file.parts[-3]): file for file in map(Path, snakemake.input.blocks)}
            models.make(target, facts, blocks, datasets, published, stem, **context)
        case "compression":
            audits = {(file.parts[-4], file.parts[-3], file.parts[-2]): file for file in files}
            compression.make(target, audits, datasets, published, stem, **context)
        case "calibration":
            found = {(file.parts[-3], file.parts[-2], file.stem): file for file in files}
            calibration.make(target, found, datasets, first, stem, titles=given.titles, **context)
        case "compare_to_baseline":
            compare_to_baseline.make(target, files, datasets, first, stem, titles=given.titles, **context)
