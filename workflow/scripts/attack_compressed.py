"""Entry script of rule ``attack_compressed``: accuracy of a network in a .tflite file under attack."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.core.base.inputs import Inputs
from quantrift.core.settings.robustness import Robustness
from quantrift.study.compression.compressed_under_attack import attack

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    network = Path(snakemake.input.network)
    attack(
        snakemake.params.name,
        network,
        import_module(snakemake.params.runtime).load(network),
        Inputs.load(snakemake.input.inputs),
        Robustness.model_validate(snakemake.params.settings),
        snakemake.params.strengths,
        Path(snakemake.output[0]),
    )
