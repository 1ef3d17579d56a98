"""Entry script of rule ``source``: write a dataset as it is."""

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from quantrift.cli.entry import one_line_errors
from quantrift.config.datasets import AnyDataset
from quantrift.config.load import mirror
from quantrift.data.source import build

if TYPE_CHECKING:
    from snakemake.script import snakemake

with one_line_errors():
    build(
        TypeAdapter(AnyDataset).validate_python(snakemake.params.settings),
        mirror((snakemake.config.get("data") or {}).get("mirror")),
        Path(snakemake.output[0]),
    )
