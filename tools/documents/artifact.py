"""Blocks of ARTIFACT.md, which follow from the configuration, rates and measured tables."""

from collections.abc import Sequence
from functools import cache
from itertools import groupby
from pathlib import Path

from quantrift.cli.plan import of_targets, priced, time
from quantrift.cli.planning.dry_run import needed_for
from quantrift.cli.planning.summary import Sum
from quantrift.core.base.grouped import grouped
from quantrift.core.base.paths import Paths
from quantrift.core.page.arrangement import records
from quantrift.core.page.markdown import inline, table
from quantrift.core.settings.datasets import SourceFile
from quantrift.study.planning.configuration_files import ROOT, load
from quantrift.study.planning.result_files import Results
from quantrift.study.planning.root import Config
from quantrift.study.results.targets.claim import CONTROLS, OWN, ClaimsTarget

CONFIGFILES = {
    scale: ROOT / "config" / f"{name}.yaml"
    for scale, name in (("demo", "config"), ("sample", "sample"), ("paper", "paper"))
}
"""Scale -> its overlay."""
CORES = 2
"""Those of the machine that the rates were measured on."""
LONG = 60
"""Seconds of one core from which on a target has a row of its own."""
MEASURED = ROOT / "docs" / "measured" / "demo_diverget_table4.csv"
"""Table of the target ``diverget_table4`` of the demo, as docs/measured/README.md says."""


@cache
def configurations() -> dict[str, Config]:
    """Scale -> configuration."""
    return {scale: load(ROOT / "config", [file]) for scale, file in CONFIGFILES.items()}


def claims() -> str:
    """A table for each work: its claims, where they stand, what tests them, and the outcome expected at each scale.

    The outcome at demo scale stands in parentheses. A scale is left out where a plain run does not make the table, or
    nobody has stated what it gives.
    """
    configs = {scale: configurations()[scale] for scale in ("demo", "sample")}
    targets = [one for one in configs["demo"].targets.values() if isinstance(one, ClaimsTarget)]
    known = [claim for one in targets for claim in one.claims.values()]
    parts = []
    for name, group in groupby(known, lambda claim: claim.work):
        rows = []
        for claim in group:
            demo, sample = (
                claim.expected.get(scale, "") if claim.target in config.shown else ""
                for scale, config in configs.items()
            )
            outcome = " ".join(one for one in (sample, demo and f"({demo})") if one)
            rows.append([f"{inline(claim.sentence)} ({inline(claim.place)})", f"`{claim.target}`", outcome])
        parts.append(f"**{name}**\n\n{table(['claim', 'target', 'outcome'], rows)}")
    return "\n\n".join(parts)


def data() -> str:
    """A table of all datasets: their files, and where these come from."""
    rows = []
    for dataset in configurations()["sample"].datasets.values():
        files = [value for _, value in dataset if isinstance(value, SourceFile)]
        sizes = [one.bytes for one in files if one.bytes]
        size = f"{sum(sizes) / 1e6:.1f}" if len(sizes) == len(files) and files else ""
        rows.append([inline(dataset.title), len(files) or "", size, _origin(files)])
    return table(["dataset", "files", "MB", "from"], rows)


def _origin(files: Sequence[SourceFile]) -> str:
    if not files:
        return "nothing to download"
    return "a mirror, or downloaded" if all(one.urls for one in files) else "**a mirror alone**"


def values() -> str:
    """A table of DiverGet's Table 4 at demo scale: divergence rates of each tool on each scene, with intervals."""
    config = configurations()["demo"]
    cells: dict[str, dict[str, str]] = {}
    for row in records(MEASURED):
        if row["dir"] and row["tool"] in config.tools:
            scene, tool = config.datasets[row["dataset"]].title, config.tools[row["tool"]].title or row["tool"]
            rate, low, high = (f"{100 * float(row[key]):.2f}" for key in ("dir", "dir_low", "dir_high"))
            cells.setdefault(tool, {})[scene] = f"{rate} ({low} to {high})"
    scenes = [*dict.fromkeys(scene for own in cells.values() for scene in own)]
    rows = ([inline(tool), *(own.get(scene, "") for scene in scenes)] for tool, own in cells.items())
    return table(["DiR %, median over run seeds", *map(inline, scenes)], rows)


def costs(scale: str) -> str:
    """A table of the targets of a plain run: jobs and time of one core, by `quantrift plan`; then what all take.

    Targets that take less than a minute share a row.
    """
    config = configurations()[scale]
    planned, known = priced(config, [CONFIGFILES[scale]], config.all, CORES)
    own = dict(of_targets(config, config.all, planned))
    sums = {f"`{name}`": one for name, jobs in own.items() if (one := Sum.of(jobs, known)).core_seconds >= LONG}
    short = [jobs for name, jobs in own.items() if f"`{name}`" not in sums]
    sums[f"the {len(short)} others"] = Sum.of([job for jobs in short for job in jobs], known)
    sums["all of these"] = whole = Sum.of(planned, known)
    costs = table(["target", "jobs", "minutes of a core"], (_cells(*one) for one in sums.items()))
    every = (
        f"Estimated {time(planned, known, CORES)}. The largest job of all these targets needs {whole.memory} of "
        f"memory. The results of all these targets take {whole.disk} of disk."
    )
    return f"{costs}\n\n{every}"


def decided_at_paper_scale() -> str:
    """A table of the targets that decide claims of the papers, each with its costs from nothing at paper scale."""
    config = configurations()["paper"]
    claims = grouped(
        (claim.target, name)
        for one in config.targets.values()
        if isinstance(one, ClaimsTarget)
        for name, claim in one.claims.items()
        if claim.group not in (CONTROLS, OWN) and claim.target in config.shown
    )
    planned, known = priced(config, [CONFIGFILES["paper"]], [*claims], CORES)
    results = Results(config, Paths(Path("results") / config.scale))
    rows = []
    for target, names in claims.items():
        needed = needed_for(planned, map(str, results.made(target)))
        own = Sum.of([one for one in planned if one.number in needed], known)
        hours = f"{own.core_seconds / 3600:,.1f}" if own.core_seconds < 360_000 else f"{own.core_seconds / 3600:,.0f}"
        rows.append([f"`{target}`", f"{own.jobs:,}", hours, own.memory, ", ".join(f"`{name}`" for name in names)])
    return table(["target", "jobs", "core-hours", "memory", "claims that it decides"], rows)


def _cells(name: str, of: Sum) -> list[str]:
    minutes = of.core_seconds / 60
    return [name, f"{of.jobs:,}", f"{minutes:,.1f}" if minutes < 10 else f"{minutes:,.0f}"]
