"""Snakemake's log of a run, parsed: jobs that started, ended and failed, with times."""

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

LOGS = Path(".snakemake/log")
LINE = re.compile(
    r"(?P<dry>This was a dry-run)"
    r"|\[(?P<time>\w{3} \w{3} +\d+ [\d:]{8} \d{4})\]$"
    r"|(?P<stats>Job stats:)$"
    r"|(?P<rule>\w+) +(?P<count>\d+)$"
    r"|(?:local)?(?:rule|checkpoint) (?P<starts>\w+):$"
    r"|Error in rule (?P<fails>\w+)(?:, |:$)"
    r"|Finished jobid: (?P<ends>\d+) "
    r"|Trying to restart job (?P<again>\d+)\.$"
    r"|    (?P<key>jobid|wildcards|log): (?P<value>.*)$"
)
"""A line of Snakemake's log that says something of a run."""


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
    files = sorted((folder / LOGS).glob("*.snakemake.log"), reverse=True)
    return next((run for run in map(read, files) if run is not None), None)


def read(file: Path) -> Run | None:
    """The run of a log; None of a dry run, or of one that found nothing to do."""
    run, counting = Run(file), False
    now = datetime.fromtimestamp(file.stat().st_mtime)
    current = Job("", now)
    with file.open(encoding="utf-8", errors="replace") as lines:
        for found in filter(None, (LINE.match(line.rstrip("\n")) for line in lines)):
            match found.lastgroup:
                case "dry":
                    return None
                case "time":
                    now = datetime.strptime(found["time"], "%a %b %d %H:%M:%S %Y")
                case "stats":
                    counting = True
                    run.planned.clear()
                case "count" if counting:
                    if counting := found["rule"] != "total":
                        run.planned[found["rule"]] += int(found["count"])
                case "starts":
                    current = Job(found["starts"], now)
                case "fails":
                    current = Job(found["fails"], now, ended=now, failed=True)
                case "ends" if found["ends"] in run.jobs:
                    run.jobs[found["ends"]].ended = now
                case "again":
                    run.jobs.pop(found["again"], None)
                case "value" if current.rule:
                    _note(run, current, found["key"], found["value"])
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
