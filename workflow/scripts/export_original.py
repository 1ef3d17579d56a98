"""Entry script of rule ``export_original``: the original as a file of its own for the runtime that runs it."""

from importlib import import_module
from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.core.base.files import replacing
from quantrift.core.networks.keras_files import load

with as_job() as job, replacing(job.output[0]) as temporary:
    temporary.write_bytes(import_module(job.params.runtime).export(load(Path(job.input[0]))))
