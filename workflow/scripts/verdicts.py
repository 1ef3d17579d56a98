"""Entry script of rule ``verdicts``: judge both models on adversarial samples. Loads no TensorFlow of its own."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.runtime import load_runtime
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.study.compression.adversarial_labels import judge, write

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    given = snakemake.input
    original = load_runtime(snakemake.params.original_runtime, given.original)
    found = judge(Path(given.samples), Inputs.load(given.inputs), original, LiteRT(Path(given.compressed)))
    write(found, Path(snakemake.output[0]))
