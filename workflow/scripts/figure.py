"""Entry script of rule ``figure``: make one figure, of any kind."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from quantrift.cli.entry import as_job
from quantrift.config.bit_studies import BitStudy
from quantrift.config.compressions import Heterogeneous, Homogeneous
from quantrift.config.datasets import AnyDataset
from quantrift.config.targets import AnyTarget
from quantrift.figures import made
from quantrift.metrics.given import Given
from quantrift.targets import kinds
from quantrift.targets.given import of_job

if TYPE_CHECKING:
    from snakemake.script import snakemake


def _made_as_before() -> None:
    target = TypeAdapter(AnyTarget).validate_python(snakemake.params.target)
    given = Given(
        files=[Path(file) for file in snakemake.input.made_from],
        datasets=TypeAdapter(dict[str, AnyDataset]).validate_python(snakemake.params.datasets),
        scale=snakemake.params.scale,
        published=[Path(file) for file in snakemake.input.published],
        titles=snakemake.params.titles,
        studies=TypeAdapter(dict[str, BitStudy]).validate_python(snakemake.params.studies),
        compressions=TypeAdapter(dict[str, Homogeneous | Heterogeneous]).validate_python(snakemake.params.compressions),
    )
    figure = import_module(f"quantrift.figures.{target.kind}")
    figure.make(target, given, Path(snakemake.output[0]).with_suffix(""))


with as_job():
    if snakemake.params.target["kind"] in kinds.names("figures"):
        made.make(snakemake.params.target, of_job(snakemake), Path(snakemake.output[0]).with_suffix(""))
    else:
        _made_as_before()
