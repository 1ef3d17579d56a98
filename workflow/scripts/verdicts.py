"""Entry script of rule ``verdicts``: judge both models on adversarial samples. Loads no TensorFlow of its own."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.core.base.inputs import Inputs
from quantrift.study.compression.adversarial_labels import judge, write

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    given = snakemake.input
    both = (import_module(snakemake.params.runtimes[name]).load(given[name]) for name in ("original", "compressed"))
    found = judge(Path(given.samples), Inputs.load(given.inputs), *both)
    write(found, Path(snakemake.output[0]))
