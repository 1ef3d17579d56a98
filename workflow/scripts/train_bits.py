"""Entry script of rule ``train_bits``: train and test a block of networks of a bit study on one dataset and model."""

from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.study.compression.bits.bit_study import train
from quantrift.study.compression.bits.side_by_side import job_of

with as_job() as job:
    stated = {name: job.params[name] for name in ("network", "how", "settings", "networks", "seed")}
    block = job_of({"dataset": job.wildcards.dataset, "model": job.wildcards.model, **stated})
    train(block, Path(job.input[0]), Path(job.output.networks).parent, job.resources.at_once)
