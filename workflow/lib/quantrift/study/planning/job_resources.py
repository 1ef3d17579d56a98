"""Memory, minutes and groups of jobs on a cluster, from their estimates (``estimates``).

Each further attempt at a job requests as much again. Runs on one computer request nothing, as neither limits a job
there, and group nothing. Nothing that a job computes depends on what it requests.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from math import ceil
from typing import Any

from quantrift.study.planning.jobs import Job, measured_as
from quantrift.study.planning.measured_rates import Estimate

BATCH = 256
"""Candidates decoded, checked and run together; also the largest number of inputs a model is given at once."""
BATCH_MB = 500
"""Memory for the decoded inputs of a batch; where they are so large that it matters, batches are smaller."""
SLOWER = 2
"""Seconds on the slowest nodes for one of the measured machine."""
START_S = 600
"""Seconds for the start on a node from a slow file system, and for what no rate counts, as the work after epochs."""
MORE_MEMORY, ROOM_MB = 1.25, 250
"""Factor and addition to the largest measured memory."""
LEAST_MB = 1000
"""Asked for at least. Small jobs are measured on crops, or end before Snakemake looks at their memory."""
UNKNOWN_MINUTES, UNKNOWN_MB = 240, 4000
"""Of jobs whose rule was never measured."""
SHORT_S = 300
"""Longest job at its upper end that shares a submission with others."""
GROUPED = frozenset(
    {"search", "metrics", "shrink", "layers_of_dii", "attack_bits", "attack_compressed"}
    | {"layers", "verdicts", "calibrate", "compress"}
)
"""Rules of many short jobs, and those measured as one of them. No job of a rule reads what another of it writes."""
GROUP, SIZE = "short", 10
"""Name by which profiles say how many jobs a group has (``group-components``), and that number."""
LOCAL = frozenset({"seeds", "figure", "page"})
"""Rules whose jobs run where Snakemake does, beside targets."""
IN_TURN = "in_turn"
"""Resource of which a job of ``GROUPED`` takes one, and profiles grant one to a submission: a group runs one job after
the other, on the cores and in the memory of one."""

Asked = Callable[[Any, int], int]
"""Takes wildcards and the attempt, from 1, as Snakemake gives them to functions in ``resources:``."""


def of(rule: str, estimate: Callable[[Any], Estimate | None], processes: int = 1) -> Mapping[str, Asked | int]:
    """Resources that jobs of a rule request, by Snakemake's names.

    Args:
        rule: its name.
        estimate: wildcards -> what is known of the job.
        processes: how many a job starts side by side, each with the memory of a job.
    """
    # Snakemake passes by these names.
    return {
        "runtime": lambda wildcards, attempt: attempt * minutes(estimate(wildcards)),
        "mem_mb": lambda wildcards, attempt: attempt * processes * megabytes(estimate(wildcards)),
        **({IN_TURN: 1} if measured_as(rule) in GROUPED else {}),
    }


def minutes(cost: Estimate | None) -> int:
    """Minutes that a job requests: enough for its upper end on a slow node."""
    return UNKNOWN_MINUTES if cost is None else ceil((SLOWER * cost.high + START_S) / 60)


def megabytes(cost: Estimate | None) -> int:
    """Memory that a job requests, in MB."""
    if cost is None or cost.memory_mb is None:
        return UNKNOWN_MB
    return max(LEAST_MB, ceil(MORE_MEMORY * cost.memory_mb) + ROOM_MB)


def group(job: Job, cost: Estimate | None) -> str | None:
    """The group of a short job: of its rule, dataset and network, so that it waits for no other network.

    None for a job that is submitted alone.
    """
    rule = measured_as(job.rule)
    if rule not in GROUPED or cost is None or cost.high > SHORT_S:
        return None
    return "_".join((GROUP, rule, job.of["dataset"], job.of["model"]))


def submissions(costs: Iterable[tuple[Job, Estimate | None]]) -> int:
    """Number of submissions to a cluster for jobs with these estimates: each long job, and each group of short ones."""
    names = Counter(group(job, cost) for job, cost in costs if measured_as(job.rule) not in LOCAL)
    return names.pop(None, 0) + sum(-(-number // SIZE) for number in names.values())
