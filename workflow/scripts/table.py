"""Entry script of rule ``table``: make one table, of any kind."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from quantrift.cli.entry import as_job
from quantrift.config.datasets import AnyDataset, official_files
from quantrift.config.targets import AnyTarget
from quantrift.metrics import searched
from quantrift.report.provenance import collect
from quantrift.tables import (
    activation,
    calibration,
    compare_groups,
    compare_to_baseline,
    compression,
    difference_counts,
    findings,
    first_attack,
    minimal_distortions,
    models,
    settings,
    success_rates,
    targeted,
    uncertainty_tests,
    vector_distances,
)

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
        case "settings":
            settings.make(target, given.tools, given.protocol, first, stem, titles=given.titles, **context)
        case "compare_to_baseline":
            compare_to_baseline.make(target, files, datasets, first, stem, titles=given.titles, **context)
        case "compare_groups":
            compare_groups.make(target, files, datasets, first, stem, titles=given.titles, **context)
        case "difference_counts":
            difference_counts.make(target, files, datasets, first, stem, titles=given.titles, **context)
        case "first_attack":
            first_attack.make(target, files, datasets, first, stem, titles=given.titles, **context)
        case "success_rates":
            success_rates.make(target, files, datasets, first, stem, titles=given.titles, **context)
        case "uncertainty_tests":
            uncertainty_tests.make(target, files, datasets, stem, titles=given.titles, **context)
        case "targeted":
            targeted.make(target, files, datasets, first, stem, titles=given.titles, **context)
        case "findings":
            metrics = {name: [Path(file) for file in of_one] for name, of_one in given.experiments.items()}
            searched_files = {file for of_one in metrics.values() for file in of_one}
            distances = {file.stem: file for file in files if file not in searched_files}
            findings.make(target, metrics, distances, datasets, published, stem, **context)
        case "activation":
            activation.make(target, searched.blocks(files), datasets, stem, titles=given.titles, **context)
        case "minimal_distortions":
            minimal_distortions.make(target, searched.outcomes(files), datasets, stem, titles=given.titles, **context)
        case "vector_distances":
            by_tool = searched.blocks(files)
            vector_distances.make(target, by_tool, datasets, first, stem, titles=given.titles, **context)
