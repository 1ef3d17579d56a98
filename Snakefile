"""Quantrift: every table and figure from one configuration. The experiments are in config/, the code in workflow/."""

import os
import sys
from pathlib import Path

LIBRARY = Path(workflow.basedir) / "workflow" / "lib"
sys.path.insert(0, str(LIBRARY))
# For jobs that run in an environment of their own (--sdm conda).
os.environ.update(
    PYTHONPATH=os.pathsep.join(
        [str(LIBRARY), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
)

from quantrift.base import hidden_devices, process_environment

# For all jobs, which inherit it, and before anything that computes is imported.
process_environment.pin()
hidden_devices.hide()


include: "workflow/rules/configuration.smk"
include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/models.smk"
include: "workflow/rules/compression.smk"
include: "workflow/rules/calibration.smk"
include: "workflow/rules/search.smk"
include: "workflow/rules/metrics.smk"
include: "workflow/rules/shrink.smk"
include: "workflow/rules/layers.smk"
include: "workflow/rules/repair.smk"
include: "workflow/rules/mend.smk"
include: "workflow/rules/checkers.smk"
include: "workflow/rules/adversarial.smk"
include: "workflow/rules/bits.smk"
include: "workflow/rules/robustness.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/collect.smk"


# A job dies with the Snakemake that started it, on a cluster with the one on its node.
unlock.announce()


onstart:
    # So that others who find this run's lock can see whether the run is alive.
    unlock.record()
    # Snakemake starts at most 100 jobs a second. To that end (9.27) each job that ends leaves a timer that looks at all
    # waiting jobs again every second, for good: hundreds of jobs cost a quarter of a core
    # (https://github.com/snakemake/snakemake/pull/3744, open).
    if (
        workflow.scheduler.job_rate_limiter
        and workflow.scheduler.job_rate_limiter.max_jobs == 100
    ):
        workflow.scheduler.job_rate_limiter = None


onerror:
    # Messages of failed jobs may be far up by now, and on a cluster they were not printed here.
    for line in status.last_failures():
        print(line, file=sys.stderr)


rule all:
    default_target: True
    input:
        [MADE[name] for name in CONFIG.all],
