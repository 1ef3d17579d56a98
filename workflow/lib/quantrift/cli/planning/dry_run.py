"""Jobs of a run before it starts, read from Snakemake's own dry run, and their time side by side on some cores."""

import heapq
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path

from quantrift.core.base.errors import QuantriftError
from quantrift.study.datasets.addresses import MIRROR
from quantrift.study.planning.configuration_files import ROOT
from quantrift.study.planning.jobs import Job


@dataclass(frozen=True)
class Planned:
    """A job that would run."""

    number: int
    job: Job
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    threads: int
    reason: str = ""
    """Snakemake's reason to run it."""
    devices: int = 0
    """Graphics processors that it asks for."""


def jobs(configfiles: Sequence[Path], targets: Sequence[str], folder: Path, cores: int = 1) -> list[Planned]:
    """All jobs that targets need in a folder, each after those whose files it reads.

    Args:
        configfiles: overlays, later ones laid over earlier ones.
        targets: what to ask Snakemake for.
        folder: where results lie; an empty one needs every job.
        cores: jobs take no more threads than these.

    Raises:
        QuantriftError: Snakemake refuses; has its message.
    """
    command = [sys.executable, "-m", "snakemake", *targets, "--dry-run", "--nolock", "--cores", str(cores)]
    command += ["--snakefile", str(ROOT / "Snakefile"), "--directory", str(folder), "--configfile"]
    command += [str(file.resolve()) for file in configfiles]
    # Official files are not looked up before a job needs them, so the variable's folder does not matter.
    environment = {key: value for key, value in os.environ.items() if key != MIRROR}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    said = done.stdout + done.stderr
    if done.returncode:
        own = [line.removeprefix("quantrift: ") for line in said.splitlines() if line.startswith("quantrift: ")]
        raise QuantriftError(own[0] if own else said.strip().splitlines()[-1])
    return ordered(parsed(said))


def parsed(text: str) -> list[Planned]:
    """The jobs of a dry run's text."""
    found = []
    for part in re.split(r"^(?:local)?rule ", text, flags=re.MULTILINE)[1:]:
        rule, _, body = part.partition(":\n")
        fields = dict(re.findall(r"^    (\w+): (.*)$", body, re.MULTILINE))
        if "jobid" in fields:
            lists = {
                key: tuple(fields[key].split(", ")) if fields.get(key) else ()
                for key in ("input", "output", "wildcards", "resources")
            }
            found.append(
                Planned(
                    number=int(fields["jobid"]),
                    job=Job(rule, dict(pair.split("=", 1) for pair in lists["wildcards"])),
                    inputs=lists["input"],
                    outputs=lists["output"],
                    threads=int(fields.get("threads", 1)),
                    reason=fields.get("reason", ""),
                    devices=int(dict(pair.split("=", 1) for pair in lists["resources"] if "=" in pair).get("gpu", 0)),
                )
            )
    return found


def needs(planned: Sequence[Planned]) -> dict[int, set[int]]:
    """Number of each job -> numbers of those whose files it reads."""
    makers = {file: one.number for one in planned for file in one.outputs}
    return {one.number: {makers[file] for file in one.inputs if file in makers} - {one.number} for one in planned}


def ordered(planned: Sequence[Planned]) -> list[Planned]:
    """The same, each job after those whose files it reads."""
    by_number = {one.number: one for one in planned}
    return [by_number[number] for number in TopologicalSorter(needs(planned)).static_order()]


def needed_for(planned: Sequence[Planned], files: Iterable[str]) -> set[int]:
    """Numbers of the jobs that make some files, and of all these need."""
    found, wanted = set(), {*files}
    for one in reversed(ordered(planned)):
        if not wanted.isdisjoint(one.outputs):
            found.add(one.number)
            wanted.update(one.inputs)
    return found


def makespan(planned: Sequence[Planned], seconds: Mapping[int, float], cores: int, devices: int = 1) -> float:
    """Seconds until all are done, each started as soon as its inputs are there and cores and devices are free.

    Of jobs that could start, the one with the longest way to the end goes first, much as Snakemake's greedy scheduler;
    of several, by the names of their files, as Snakemake numbers the same jobs differently each time.

    Args:
        planned: jobs, each after those whose files it reads.
        seconds: of each job by its number; those that are missing take no time.
        cores: how many there are; a job takes as many as it has threads, and no more than there are.
        devices: graphics processors; a job takes as many as it asks for, and no more than there are.
    """
    needed = needs(planned)
    asked = {one.number: (min(one.threads, cores), min(one.devices, devices)) for one in planned}
    way = dict.fromkeys(needed, 0.0)
    for number in (one.number for one in reversed(planned)):
        way[number] += seconds.get(number, 0.0)
        way |= {other: max(way[other], way[number]) for other in needed[number]}
    by_name = sorted(planned, key=lambda one: (one.job.rule, one.outputs, one.inputs))
    place = {one.number: position for position, one in enumerate(by_name)}
    waiting = TopologicalSorter(needed)
    waiting.prepare()
    ready: list[tuple[float, int, int]] = []
    running: list[tuple[float, int, int]] = []
    now, free, unused = 0.0, cores, devices
    postponed: list[tuple[float, int, int]] = []
    while waiting.is_active():
        for entry in [*postponed, *((-way[number], place[number], number) for number in waiting.get_ready())]:
            heapq.heappush(ready, entry)
        postponed = []
        while ready and free:
            entry = heapq.heappop(ready)
            of_cores, of_devices = asked[entry[-1]]
            if of_cores > free or of_devices > unused:
                postponed.append(entry)
                continue
            free, unused = free - of_cores, unused - of_devices
            heapq.heappush(running, (now + seconds.get(entry[-1], 0.0), *entry[1:]))
        now, _, number = heapq.heappop(running)
        free, unused = free + asked[number][0], unused + asked[number][1]
        waiting.done(number)
    return now


def duration(seconds: float) -> str:
    """Seconds as ``12 s``, ``3 min 05 s`` or ``2 h 07 min``."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {seconds:02d} s" if minutes else f"{seconds} s"
