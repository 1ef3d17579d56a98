"""Show the progress of the run in this folder, its remaining time, and what another run would make again.

It reads Snakemake's log of the run, so it works during a run on this machine or on a cluster, and disturbs neither.
A job that is left takes the mean of its rule's finished jobs in this run, otherwise of the measured rates
(config/rates.csv). The time left assumes as many busy jobs as on average so far.

With --configfile it shows instead what a run of that configuration would make here and why, by Snakemake's dry run: the
effect of changed settings, code, packages or another version of Quantrift on existing results. It changes nothing.
"""

import argparse
from collections import Counter
from datetime import datetime
from pathlib import Path
from statistics import fmean

from quantrift.cli import job_log, unlock
from quantrift.cli.planning import again, dry_run, options
from quantrift.cli.planning.dry_run import duration
from quantrift.cli.planning.run_log import Run, last
from quantrift.core.base.grouped import grouped
from quantrift.core.base.paths import Paths
from quantrift.study.planning import jobs, measured_rates

EXAMPLES = """example:
  quantrift status                                          from the folder that snakemake runs in
  quantrift status --configfile config/paper.yaml           what would be made again, and why
"""
SHOWN = 8
"""Running jobs that are listed."""


OPTIONS = {
    "--configfile": {
        "type": Path,
        "nargs": "+",
        "metavar": "FILE",
        "help": "show what a run of it would make here, and why",
    }
}


def run(given: argparse.Namespace) -> int:
    """0."""
    if given.configfile:
        config = options.configuration(given.configfile)
        print(*again.lines(dry_run.jobs(given.configfile, config.all, Path())), sep="\n")
        if left := again.left_over(config, Paths(Path("results") / config.scale)):
            print(
                f"{len(left):,} files of blocks that this configuration does not have, like {left[0]}, from other "
                "engine settings or an earlier version; nothing reads them, and they can be deleted"
            )
        return 0
    found, owner = last(Path()), unlock.owner()
    process = None if owner is None else owner.process if owner.alive else f"{owner.process}, which may be gone"
    not_started = (
        f"process {process} has not started a job yet" if process else "nothing runs here, and no run has been started"
    )
    print(*(report(found, process, datetime.now()) if found else [not_started]), sep="\n")
    return 0


def report(found: Run, owner: str | None, now: datetime) -> list[str]:
    """Lines for people: of a running one (``owner`` is its process), or of the last run."""
    total = found.planned.total()
    done = len(found.done)
    counts = f"{done:,} of {total:,} jobs done"
    failed = f", {len(found.failed)} failed" if found.failed else ""
    if owner is None:
        how = "the last run is complete" if done == total else "the last run ended before it was complete"
        return [f"nothing runs here; {how}: {counts}{failed} ({found.log})", *failures(found)]
    running = sorted(found.running, key=lambda job: job.started)
    left = total - done - len(running) - len(found.failed)
    lines = [f"process {owner}: {counts}, {len(running)} running, {left:,} left{failed}"]
    if found.jobs:
        elapsed = max((now - min(job.started for job in found.jobs.values())).total_seconds(), 1)
        lines.append(
            f"running for {duration(elapsed)}, {done / elapsed * 60:.1f} jobs a minute; {_left(found, now, elapsed)}"
        )
    lines += [
        f"  running {duration((now - job.started).total_seconds()):>9}  {job.rule} {job.name}"
        for job in running[:SHOWN]
    ]
    if len(running) > SHOWN:
        lines.append(f"  and {len(running) - SHOWN} more")
    return lines + failures(found)


def failures(found: Run) -> list[str]:
    """A line for each job that failed: the reason from its own log, and the log's path."""
    # Other logs are Snakemake's, or the scheduler's.
    reasons = [f"{job_log.reason(Path(job.logs[0]))} " if job.logs else "" for job in found.failed]
    return [
        f"  failed  {job.rule} {job.name}: {why}(log: {', '.join(job.logs or [str(found.log)])})"
        for job, why in zip(found.failed, reasons, strict=True)
    ]


def last_failures() -> list[str]:
    """The same lines of the last run in this folder."""
    found = last(Path())
    return failures(found) if found else []


def _left(found: Run, now: datetime, elapsed: float) -> str:
    """Remaining time, as text."""
    of_rule = grouped(
        (jobs.measured_as(job.rule), (job.ended - job.started).total_seconds()) for job in found.done if job.ended
    )
    rates = measured_rates.committed().of.values()
    measured = grouped((rate.rule, rate.start_seconds + rate.unit_seconds * rate.units) for rate in rates)
    means = {rule: fmean(own) for rule, own in (measured | of_rule).items()}
    not_started = found.planned - Counter(job.rule for job in found.jobs.values())
    waiting = Counter(map(jobs.measured_as, not_started.elements()))
    # A rule that is not in the workflow is a target, whose job does nothing.
    unknown = sum(count for rule, count in waiting.items() if rule in jobs.RULES and rule not in means)
    seconds = sum(count * means.get(rule, 0.0) for rule, count in waiting.items())
    ages = [(job, ((job.ended or now) - job.started).total_seconds()) for job in found.jobs.values()]
    seconds += sum(max(means.get(jobs.measured_as(job.rule), 0.0) - age, 0) for job, age in ages if not job.ended)
    busy = max(sum(age for _, age in ages) / elapsed, 1)
    more = f", without {unknown:,} jobs of unknown length" if unknown else ""
    return f"about {duration(seconds / busy)} left{more}"
