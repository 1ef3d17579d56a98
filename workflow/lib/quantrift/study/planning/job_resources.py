"""Memory and minutes that jobs request on a cluster: more than measured jobs took (config/rates.csv).

Each further attempt at a job requests as much again. Runs on one computer request nothing, as neither limits a job
there.
"""

from collections.abc import Callable, Mapping
from typing import Any

MEGABYTES = {
    "train": 6000,
    "train_blocks": 6000,
    "export_original": 4000,
    "train_bits": 4000,
    "attack_bits": 4000,
    "compress": 4000,
    "compress_by_training": 6000,
    "compress_to_coreml": 4000,
    "repair_model": 4000,
    "mend_model": 4000,
    "check_network": 3000,
    "attack": 4000,
    "attack_compressed": 3000,
    "attack_original": 3000,
}
"""Rule -> resident memory of a job, with a margin."""
BATCH = 256
"""Candidates decoded, checked and run together; also the largest number of inputs a model is given at once."""
BATCH_MB = 500
"""Memory for the decoded inputs of a batch; where they are so large that it matters, batches are smaller."""
MEGABYTES_OF_SEARCH = 700
"""Memory of a search beside its candidates: Python, both models, libraries."""
MEGABYTES_OF_TENSORFLOW = 900
"""Further memory of a search that loads TensorFlow."""
MINUTES = {
    # Blocks are cut by candidates, which say little of the time that those of large networks take: up to hours.
    "search": 360,
    "train": 720,
    "train_blocks": 720,
    "train_bits": 1440,
    "attack_bits": 240,
    "compress_by_training": 240,
    "repair_model": 240,
    "mend_model": 360,
    "attack": 240,
}
"""Rule -> time of a job, enough for nodes half as fast as the measured machine."""

Asked = Callable[[Any, int], int]
"""Takes wildcards and the attempt, from 1, as Snakemake gives them to functions in ``resources:``."""


def of(rule: str, processes: int = 1) -> Mapping[str, Asked]:
    """Resources that jobs of a rule request, by Snakemake's names; for searches the time alone.

    ``processes`` is how many a job starts side by side, each with the memory of a job.
    """
    asked = {"runtime": _each_attempt(MINUTES.get(rule, 60))}
    return asked if rule == "search" else asked | {"mem_mb": _each_attempt(processes * MEGABYTES.get(rule, 2000))}


def megabytes_of_search(*, tensorflow: bool) -> int:
    """Memory of a search, in MB, that loads TensorFlow or not."""
    return BATCH_MB + MEGABYTES_OF_SEARCH + (MEGABYTES_OF_TENSORFLOW if tensorflow else 0)


def _each_attempt(amount: int) -> Asked:
    # Snakemake passes by these names.
    return lambda wildcards, attempt: amount * attempt
