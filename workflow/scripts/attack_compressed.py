"""Entry script of rule ``attack_compressed``: accuracy of a network in a .tflite file under attack."""

from importlib import import_module
from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.core.base.inputs import Inputs
from quantrift.core.settings.attacks import Robustness
from quantrift.study.compression.compressed_under_attack import attack

with as_job() as job:
    network = Path(job.input.network)
    attack(
        job.params.name,
        network,
        import_module(job.params.runtime).load(network),
        Inputs.load(job.input.inputs),
        Robustness.model_validate(job.params.settings),
        job.params.strengths,
        Path(job.output[0]),
    )
