"""Entry script of rule ``source``: write a dataset as published."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.study.datasets import dataset_kind
from quantrift.study.datasets.addresses import of_job
from quantrift.study.datasets.official import Places
from quantrift.study.datasets.source_file import build

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    # The rule's parameters are what the content depends on; addresses and folders are not.
    places = Places.of_job(of_job(snakemake.config))
    build(dataset_kind.settings(snakemake.params.settings), places, Path(snakemake.output[0]))
