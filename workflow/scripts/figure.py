"""Entry script of rule ``figure``: make one figure, of any kind."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from quantrift.cli.entry import as_job
from quantrift.config.datasets import AnyDataset
from quantrift.config.targets import AnyTarget

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    target = TypeAdapter(AnyTarget).validate_python(snakemake.params.target)
    published = [Path(file) for file in snakemake.input.published]
    import_module(f"quantrift.figures.{target.kind}").make(
        target,
        [Path(file) for file in snakemake.input.made_from],
        TypeAdapter(dict[str, AnyDataset]).validate_python(snakemake.params.datasets),
        published[0] if published else None,
        Path(snakemake.output[0]).with_suffix(""),
        scale=snakemake.params.scale,
        titles=snakemake.params.titles,
    )
