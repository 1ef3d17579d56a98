"""Entry script of rule ``export_original``: the original as a file of its own for the runtime that runs it."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.core.base.files import replacing
from quantrift.core.networks.keras_files import load

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job(), replacing(snakemake.output[0]) as temporary:
    temporary.write_bytes(import_module(snakemake.params.runtime).export(load(Path(snakemake.input[0]))))
