"""Entry script of rule ``inputs``: write a dataset as inputs of one network."""

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from quantrift.cli.entry import as_job
from quantrift.core.settings.model_files import AnyInputs
from quantrift.core.settings.networks import Networks
from quantrift.study.datasets.prepare import prepare

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    name, given = snakemake.wildcards.model, snakemake.params.settings
    if "kind" in given:
        settings = TypeAdapter(AnyInputs).validate_python(given)
    else:
        settings = getattr(Networks.model_validate({name: given}), name)
    prepare(Path(snakemake.input[0]), settings, name, snakemake.wildcards.dataset, Path(snakemake.output[0]))
