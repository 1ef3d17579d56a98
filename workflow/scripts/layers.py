"""Entry script of rule ``layers``: compare a compressed network with its original layer by layer."""

from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.layer_comparison import on_test_inputs
from quantrift.core.networks.layer_errors import write

with as_job() as job:
    given, params = job.input, job.params
    found = on_test_inputs(
        Path(given.original), Path(given.compressed), Inputs.load(given.inputs), params.inputs, params.seed
    )
    write(found, Path(job.output[0]).parent)
