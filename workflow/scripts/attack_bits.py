"""Entry script of rule ``attack_bits``: accuracy of a block of networks of a bit study under attack."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.core.base.inputs import Inputs
from quantrift.core.settings.robustness import Robustness
from quantrift.study.compression.bits.bits_under_attack import attack

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    attack(
        Path(snakemake.input.networks),
        snakemake.params.attacked,
        Inputs.load(snakemake.input.inputs),
        Robustness.model_validate(snakemake.params.settings),
        snakemake.params.strengths,
        Path(snakemake.output[0]),
    )
