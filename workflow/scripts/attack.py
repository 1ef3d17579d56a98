"""Entry script of rule ``attack``: make adversarial samples of the test inputs of a network."""

from pathlib import Path

from pydantic import TypeAdapter

from quantrift.cli.entry import as_job
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.training.adversarial_samples import attack
from quantrift.core.settings.attacks import AnyAttack

with as_job() as job:
    attack(
        Path(job.input.network),
        Inputs.load(job.input.inputs),
        TypeAdapter(AnyAttack).validate_python(job.params.settings),
        Path(job.output[0]),
    )
