"""Jobs of a run before it starts, read from Snakemake's own dry run."""

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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
        if "jobid" not in fields:
            continue
        of = dict(pair.split("=", 1) for pair in _listed(fields.get("wildcards", "")))
        found.append(
            Planned(
                number=int(fields["jobid"]),
                job=Job(rule, of),
                inputs=_listed(fields.get("input", "")),
                outputs=_listed(fields.get("output", "")),
                threads=int(fields.get("threads", 1)),
                reason=fields.get("reason", ""),
                devices=int(_resources(fields.get("resources", "")).get("gpu", 0)),
            )
        )
    return found


def _resources(text: str) -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in _listed(text) if "=" in pair)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(text.split(", ")) if text else ()


def ordered(planned: Iterable[Planned]) -> list[Planned]:
    """The same, each job after those whose files it reads."""
    waiting = list(planned)
    makers = {file: one.number for one in waiting for file in one.outputs}
    by_number = {one.number: one for one in waiting}
    done: dict[int, Planned] = {}
    for start in waiting:
        stack = [start.number]
        while stack:
            number = stack[-1]
            needed = {makers[file] for file in by_number[number].inputs if file in makers} - {number}
            if missing := [one for one in needed if one not in done]:
                stack += missing
                continue
            done[number] = by_number[number]
            stack.pop()
    return list(done.values())


def needed_for(planned: Sequence[Planned], files: Iterable[str]) -> set[int]:
    """Numbers of the jobs that make some files, and of all these need."""
    makers = {file: one for one in planned for file in one.outputs}
    found: set[int] = set()
    waiting = list(files)
    while waiting:
        maker = makers.get(waiting.pop())
        if maker and maker.number not in found:
            found.add(maker.number)
            waiting += maker.inputs
    return found
