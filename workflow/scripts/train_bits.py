"""Entry script of rule ``train_bits``: train and test a block of networks of a bit study on one dataset and model."""

from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli.entry import as_job
from quantrift.study.compression.bits.bit_study import train
from quantrift.study.compression.bits.side_by_side import job_of

if TYPE_CHECKING:
    from snakemake.script import snakemake

with as_job():
    names = {name: snakemake.wildcards[name] for name in ("dataset", "model")}
    stated = {name: snakemake.params[name] for name in ("network", "how", "settings", "networks", "seed")}
    folder = Path(snakemake.output.networks).parent
    train(job_of(names | stated), Path(snakemake.input[0]), folder, snakemake.resources.at_once)
