"""Snakemake's log of a run, parsed: jobs that started, ended and failed, with times."""

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

LOGS = Path(".snakemake/log")
TIME = re.compile(r"\[(\w{3} \w{3} +\d+ [\d:]{8} \d{4})\]$")
START = re.compile(r"(?:local)?(?:rule|checkpoint) (\w+):$")
ERROR = re.compile(r"Error in rule (\w+)(?:, |:$)")
END = re.compile(r"Finished jobid: (\d+) ")
AGAIN = re.compile(r"Trying to restart job (\d+)\.$")
SETTING = re.compile(r"    (jobid|wildcards|log): (.*)$")
COUNT = re.compile(r"(\w+) +(\d+)$")


@dataclass
class Job:
    """A job that has started."""

    rule: str
    started: datetime
    number: str = ""
    name: str = ""
    """Its wildcards' values, for people."""
    ended: datetime | None = None
    failed: bool = False
    logs: list[str] = field(default_factory=list)
    """Its own log file, and the scheduler's of a job that failed on a cluster."""


@dataclass
class Run:
    """A run of Snakemake."""

    log: Path
    planned: Counter[str] = field(default_factory=Counter)
    """Jobs of each rule that it set out to run."""
    jobs: dict[str, Job] = field(default_factory=dict)
    """Those that have started, by number; the last try of each."""

    @property
    def done(self) -> list[Job]:
        """Jobs that ended well."""
        return [job for job in self.jobs.values() if job.ended and not job.failed]

    @property
    def failed(self) -> list[Job]:
        """Jobs that failed and were not started again."""
        return [job for job in self.jobs.values() if job.failed]

    @property
    def running(self) -> list[Job]:
        """Jobs that have started and not ended; on a cluster also those that wait there."""
        return [job for job in self.jobs.values() if not job.ended]


def last(folder: Path) -> Run | None:
    """The last run in a folder that was no dry run; None where there was none."""
    for file in sorted((folder / LOGS).glob("*.snakemake.log"), reverse=True):
        run = read(file)
        if run is not None:
            return run
    return None


def read(file: Path) -> Run | None:
    """The run of a log; None of a dry run, or of one that found nothing to do."""
    run = Run(file)
    now = datetime.fromtimestamp(file.stat().st_mtime)
    current: Job | None = None
    counting = False
    with file.open(encoding="utf-8", errors="replace") as lines:
        for raw in lines:
            line = raw.rstrip("\n")
            if line.startswith("This was a dry-run"):
                return None
            if found := TIME.match(line):
                now = datetime.strptime(found[1], "%a %b %d %H:%M:%S %Y")
            elif line == "Job stats:":
                counting = True
                run.planned.clear()
            elif counting and (found := COUNT.match(line)):
                counting = found[1] != "total"
                if counting and found[1] != "job":
                    run.planned[found[1]] += int(found[2])
            elif found := START.match(line):
                current = Job(found[1], now)
            elif found := ERROR.match(line):
                current = Job(found[1], now, ended=now, failed=True)
            elif found := END.match(line):
                _end(run, found[1], now)
            elif found := AGAIN.match(line):
                run.jobs.pop(found[1], None)
            elif current and (found := SETTING.match(line)):
                _note(run, current, found[1], found[2])
    return run if run.planned else None


def _note(run: Run, current: Job, key: str, value: str) -> None:
    """Parse a line about a job that starts or fails."""
    if key == "jobid":
        current.number = value
        before = run.jobs.get(value)
        if current.failed and before:
            before.ended, before.failed = current.ended, True
        else:
            run.jobs[value] = current
    elif current.number:
        job = run.jobs[current.number]
        if key == "wildcards":
            job.name = "/".join(pair.split("=", 1)[1] for pair in value.split(", "))
        else:
            job.logs = value.split(" (")[0].split(", ")


def _end(run: Run, number: str, now: datetime) -> None:
    if number in run.jobs:
        run.jobs[number].ended = now
