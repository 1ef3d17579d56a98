"""Entry script of rule ``attack``: make adversarial samples of the test inputs of a network."""

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from quantrift.cli.entry import as_job
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.training.adversarial_samples import attack
from quantrift.core.settings.attacks import AnyAttack

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    attack(
        Path(snakemake.input.network),
        Inputs.load(snakemake.input.inputs),
        TypeAdapter(AnyAttack).validate_python(snakemake.params.settings),
        Path(snakemake.output[0]),
    )
