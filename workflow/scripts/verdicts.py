"""Entry script of rule ``verdicts``: judge both models on adversarial samples. Loads no TensorFlow of its own."""

from importlib import import_module
from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.core.base.inputs import Inputs
from quantrift.study.compression.adversarial_labels import judge

with as_job() as job:
    both = (import_module(job.params.runtimes[name]).load(job.input[name]) for name in ("original", "compressed"))
    judge(Path(job.input.samples), Inputs.load(job.input.inputs), *both, Path(job.output[0]))
