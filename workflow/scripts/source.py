"""Entry script of rule ``source``: write a dataset as published."""

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from quantrift.cli.entry import as_job
from quantrift.config.datasets import AnyDataset
from quantrift.data.addresses import of_job
from quantrift.data.official import Places
from quantrift.data.source_file import build

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    # The rule's parameters are what the content depends on; addresses and folders are not.
    places = Places.of_job(of_job(Path(snakemake.scriptdir), snakemake.config))
    build(TypeAdapter(AnyDataset).validate_python(snakemake.params.settings), places, Path(snakemake.output[0]))
