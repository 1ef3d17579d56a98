"""Entry script of rule ``layers``: compare a compressed network with its original layer by layer."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.layer_comparison import on_test_inputs
from quantrift.core.networks.layer_errors import write

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    given = snakemake.input
    found = on_test_inputs(
        Path(given.original),
        Path(given.compressed),
        Inputs.load(given.inputs),
        snakemake.params.inputs,
        snakemake.params.seed,
    )
    write(found, Path(snakemake.output[0]).parent)
