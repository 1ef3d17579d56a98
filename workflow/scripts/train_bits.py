"""Entry script of rule ``train_bits``: train and test a block of networks of a bit study on one dataset and model."""

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from quantrift.cli.entry import as_job
from quantrift.compression.bits.bit_study import train
from quantrift.compression.bits.bit_training import Job
from quantrift.config.bit_studies import BitTraining
from quantrift.config.compressions import Heterogeneous, Homogeneous
from quantrift.config.networks import Networks

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    name = snakemake.wildcards.model
    networks = Networks.model_validate({name: snakemake.params.network})
    job = Job(
        snakemake.wildcards.dataset,
        name,
        getattr(networks, name),
        BitTraining.model_validate(snakemake.params.how),
        TypeAdapter(dict[str, Homogeneous | Heterogeneous]).validate_python(snakemake.params.settings),
        [(setting, repetition) for setting, repetition in snakemake.params.networks],
        snakemake.params.seed,
    )
    train(job, Path(snakemake.input[0]), Path(snakemake.output.networks).parent)
