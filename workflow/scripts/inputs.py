"""Entry script of rule ``inputs``: write a dataset as inputs of one network."""

from pathlib import Path

from pydantic import TypeAdapter

from quantrift.cli.entry import as_job
from quantrift.core.settings.model_files import AnyInputs
from quantrift.core.settings.networks import network_of
from quantrift.study.datasets.prepare import prepared

with as_job() as job:
    name, given = job.wildcards.model, job.params.settings
    # Those of a network from a file alone have a kind.
    settings = TypeAdapter(AnyInputs).validate_python(given) if "kind" in given else network_of(name, given)
    prepared(Path(job.input[0]), settings, name, job.wildcards.dataset).save(Path(job.output[0]))
