"""Entry script of rule ``source``: write a dataset as published."""

from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.study.datasets import dataset_kind
from quantrift.study.datasets.addresses import of_job
from quantrift.study.datasets.dataset_kind import build
from quantrift.study.datasets.official import Places

with as_job() as job:
    # The rule's parameters are what the content depends on; addresses and folders are not.
    build(dataset_kind.settings(job.params.settings), Places.of(of_job(job.config)), Path(job.output[0]))
