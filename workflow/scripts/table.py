"""Entry script of rule ``table``: make one table, of any kind."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from quantrift.cli.entry import as_job
from quantrift.config.bit_studies import BitStudy
from quantrift.config.compressions import Heterogeneous, Homogeneous
from quantrift.config.datasets import AnyDataset, official_files
from quantrift.config.targets import AnyTarget
from quantrift.metrics import searched
from quantrift.metrics.given import Given
from quantrift.report.provenance import collect
from quantrift.tables import made
from quantrift.targets import kinds
from quantrift.targets.given import of_job

if TYPE_CHECKING:
    from snakemake.script import snakemake


def _made_by_kind() -> None:
    """A table of a kind that is one module."""
    given = of_job(snakemake)
    official = [file for dataset in given.datasets.values() for file in official_files(dataset)]
    facts = collect(snakemake.params.config_digest, {file.path: file.sha256 for file in official})
    made.make(snakemake.params.target, given, Path(snakemake.output[0]).with_suffix(""), facts)


def _made_as_before() -> None:
    stated = snakemake.params
    target = TypeAdapter(AnyTarget).validate_python(stated.target)
    datasets = TypeAdapter(dict[str, AnyDataset]).validate_python(stated.datasets)
    files = [Path(file) for file in snakemake.input.made_from]
    stem = Path(snakemake.output[0]).with_suffix("")
    data = {file.path: file.sha256 for dataset in datasets.values() for file in official_files(dataset)}
    given = Given(
        files=files,
        datasets=datasets,
        scale=stated.scale,
        provenance=collect(stated.config_digest, data),
        published=[Path(file) for file in snakemake.input.published],
        titles=stated.titles,
        studies=TypeAdapter(dict[str, BitStudy]).validate_python(stated.studies),
        compressions=TypeAdapter(dict[str, Homogeneous | Heterogeneous]).validate_python(stated.compressions),
    )
    # What some kinds take beside it: files by what they are about, and settings.
    own: tuple[Any, ...] = ()
    match target.kind:
        case "models":
            blocks = {(file.parts[-4], file.parts[-3]): file for file in map(Path, snakemake.input.blocks)}
            own = {(file.parts[-3], file.parts[-2]): file for file in files}, blocks
        case "compression":
            own = ({(file.parts[-4], file.parts[-3], file.parts[-2]): file for file in files},)
        case "calibration":
            own = ({(file.parts[-3], file.parts[-2], file.stem): file for file in files},)
        case "settings":
            own = stated.tools, stated.protocol
        case "findings":
            metrics = {name: [Path(file) for file in of_one] for name, of_one in stated.experiments.items()}
            searched_files = {file for of_one in metrics.values() for file in of_one}
            own = metrics, {file.stem: file for file in files if file not in searched_files}
        case "activation" | "vector_distances":
            own = (searched.blocks(files),)
        case "minimal_distortions" | "repair":
            own = (searched.outcomes(files),)
        case "adversarial":
            own = ({(*file.parts[-4:-1], file.stem): file for file in files},)
    table = import_module(f"quantrift.tables.{target.kind}")
    table.make(target, *own, given, stem)


with as_job():
    if snakemake.params.needs or snakemake.params.target["kind"] in kinds.names("tables"):
        _made_by_kind()
    else:
        _made_as_before()
