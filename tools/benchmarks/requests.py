"""Benchmark of what jobs ask of a cluster: jobs of every rule at the published size, beside what they take."""

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tools.benchmarks.benchmark import Benchmark, Result, Row

from quantrift.cli.plan import priced
from quantrift.cli.planning import measured
from quantrift.cli.planning.dry_run import Planned, needs
from quantrift.core.base.errors import refuse
from quantrift.core.base.grouped import grouped
from quantrift.core.page.markdown import table
from quantrift.study.planning import job_resources, measured_rates
from quantrift.study.planning.configuration_files import ROOT, load
from quantrift.study.planning.estimates import Estimates
from quantrift.study.planning.jobs import measured_as
from quantrift.study.planning.measured_rates import Estimate

OVERLAYS = [ROOT / "config" / f"{name}.yaml" for name in ("paper", "pilot", "rehearsal")]
SCENES = ("sim_pavia", "sim_salinas")
"""Simulations as large as the published ones."""


class Requests(Benchmark):
    """Largest share of the memory that a job asks for at its first attempt; in the rows both shares of each rule."""

    def measure(self) -> Result:
        """Run the jobs that results/rehearsal lacks."""
        config = load(ROOT / "config", OVERLAYS)
        planned, costs = priced(config, OVERLAYS, ["everything"], 2)
        files = [one.outputs[0] for one in chosen(planned, costs)]
        overlays = ["--configfile", *map(str, OVERLAYS)]
        command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--cores", "2"]
        done = subprocess.run([*command, "--keep-going", *overlays, "--", *files], check=False)
        refuse((done.returncode, "a job of the rehearsal failed; see its message above"))
        estimates = Estimates(measured_rates.committed())
        ran = measured.found(config, Path("results"))
        rows = list(of_rules((one, estimates.of(config, one.job)) for one in ran))
        shares = [row["memory"] for row in rows if row["memory"] is not None]
        return Result(max(shares), "of the memory asked for", "1: a killed job", max(shares), {}, rows)


def chosen(planned: Sequence[Planned], costs: Mapping[int, Estimate]) -> Iterator[Planned]:
    """Of each rule, and of each scene that it works on, the job that costs least beside those chosen before.

    Args:
        planned: jobs, each after those whose files it reads.
        costs: what is known of them, by number.
    """
    needed: dict[int, set[int]] = {}
    for number, before in needs(planned).items():
        needed[number] = {number, *before}.union(*(needed[one] for one in before))
    taken: set[int] = set()

    def more(one: Planned) -> float:
        return sum(costs[number].seconds for number in needed[one.number] - taken if number in costs)

    of_rules = grouped((measured_as(one.job.rule), one) for one in planned)
    for rule, own in of_rules.items():
        if rule in job_resources.LOCAL:
            continue
        on_scenes = grouped((one.job.of.get("dataset"), one) for one in own if one.job.of.get("dataset") in SCENES)
        for some in on_scenes.values() if on_scenes else [own]:
            best = min(some, key=more)
            taken |= needed[best.number]
            yield best


def of_rules(ran: Any) -> Iterator[dict[str, Any]]:
    """A row for each rule: its jobs, and the largest seconds and memory with the largest shares of what was asked."""
    for rule, own in grouped((one.job.rule, (one, cost)) for one, cost in ran).items():
        minutes = [(one.seconds, job_resources.minutes(cost)) for one, cost in own]
        memory = [(one.memory_mb, job_resources.megabytes(cost)) for one, cost in own if one.memory_mb is not None]
        yield {
            "rule": rule,
            "jobs": len(own),
            "seconds": max(used for used, _ in minutes),
            "minutes_asked": max(asked for _, asked in minutes),
            "time": max(used / 60 / asked for used, asked in minutes),
            "mb": max((used for used, _ in memory), default=None),
            "mb_asked": max((asked for _, asked in memory), default=None),
            "memory": max((used / asked for used, asked in memory), default=None),
        }


def text(rows: Sequence[Row]) -> str:
    """The table of a rehearsal."""
    head = ["rule", "jobs", "seconds", "minutes asked", "of the time", "MB", "MB asked", "of the memory"]
    return table(
        head,
        (
            [
                f"`{row['rule']}`",
                f"{row['jobs']}",
                f"{row['seconds']:.0f}",
                f"{row['minutes_asked']}",
                f"{row['time']:.0%}",
                *("" if row[key] is None else f"{row[key]:{form}}" for key, form in FORMS.items()),
            ]
            for row in rows
        ),
    )


FORMS = {"mb": ".0f", "mb_asked": "d", "memory": ".0%"}
