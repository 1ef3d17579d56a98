"""Entry script of rule ``margins``: how far test inputs are from the boundary. Loads no TensorFlow of its own."""

from importlib import import_module
from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.core.base.inputs import Inputs
from quantrift.core.statistics.margin_files import measure

with as_job() as job:
    both = (import_module(job.params.runtimes[name]).load(job.input[name]) for name in ("original", "compressed"))
    measure(Inputs.load(job.input.inputs), *both, Path(job.output[0]))
