"""Entry script of rule ``attack_bits``: accuracy of a block of networks of a bit study under attack."""

from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.core.base.inputs import Inputs
from quantrift.core.settings.attacks import Robustness
from quantrift.study.compression.bits.bits_under_attack import attack

with as_job() as job:
    attack(
        Path(job.input.networks),
        job.params.attacked,
        Inputs.load(job.input.inputs),
        Robustness.model_validate(job.params.settings),
        job.params.strengths,
        Path(job.output[0]),
    )
