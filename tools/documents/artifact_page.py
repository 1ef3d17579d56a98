"""Sections of ARTIFACT.md that follow from the configuration, rates and measured tables:
``python -m tools.documents.artifact_page``.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from tools.documents.marked_section import Section

from quantrift.cli.plan import of_targets, priced, time
from quantrift.cli.planning.dry_run import duration
from quantrift.cli.planning.summary import Sum
from quantrift.core.page.arrangement import records
from quantrift.core.page.markdown import inline
from quantrift.core.settings.datasets import SourceFile
from quantrift.study.planning.configuration_files import ROOT, load
from quantrift.study.planning.root import Config
from quantrift.study.results.targets.claim import ClaimsTarget

PAGE = ROOT / "ARTIFACT.md"
CONFIGFILES = {"demo": ROOT / "config" / "config.yaml", "sample": ROOT / "config" / "sample.yaml"}
"""Scale -> its overlay."""
CORES = 2
"""Those of the machine that the rates were measured on."""
MEASURED = ROOT / "docs" / "measured" / "demo_diverget_table4.csv"
"""Table of the target ``diverget_table4`` of the demo, as docs/measured/README.md says."""
NOT_MADE = "not made"
Configs = Mapping[str, Config]


def section(name: str) -> Section:
    """The section of that name."""
    return Section(PAGE, f"<!-- make artifact writes {name} from here -->")


def configurations() -> dict[str, Config]:
    """Scale -> configuration."""
    return {scale: load(ROOT / "config", [file]) for scale, file in CONFIGFILES.items()}


def claims(configs: Configs) -> str:
    """A table for each work: its claims, where they stand, what tests them, and the outcome expected at each scale.

    An outcome is empty where a plain run makes the table, but nobody has stated what it gives.
    """
    first = next(iter(configs.values()))
    known = [claim for one in first.targets.values() if isinstance(one, ClaimsTarget) for claim in one.claims.values()]
    made = {scale: set(config.shown) for scale, config in configs.items()}
    lines: list[str] = []
    for name, group in groupby(known, lambda claim: claim.work):
        lines += ["", f"**{name}**", "", f"| claim | place | target | {' | '.join(configs)} |"]
        lines.append("|---" * (3 + len(configs)) + "|")
        for claim in group:
            at = [claim.expected.get(scale, "" if claim.target in made[scale] else NOT_MADE) for scale in configs]
            lines.append(f"| {inline(claim.sentence)} | {inline(claim.place)} | `{claim.target}` | {' | '.join(at)} |")
    return "\n".join(lines)


def data(config: Config) -> str:
    """A table of all datasets: their files, and where these come from."""
    lines = ["| dataset | files | MB | from |", "|---|---|---|---|"]
    for dataset in config.datasets.values():
        files = [value for _, value in dataset if isinstance(value, SourceFile)]
        sizes = [one.bytes for one in files if one.bytes]
        size = f"{sum(sizes) / 1e6:.1f}" if len(sizes) == len(files) and files else ""
        lines.append(f"| {inline(dataset.title)} | {len(files) or ''} | {size} | {_origin(files)} |")
    return "\n".join(lines)


def _origin(files: Sequence[SourceFile]) -> str:
    if not files:
        return "embedded or simulated: nothing to download"
    if all(one.urls for one in files):
        return "a mirror, or downloaded"
    return "**a mirror alone**: nobody can download it"


def values(config: Config) -> str:
    """A table of DiverGet's Table 4 at demo scale: divergence rates of each tool, with intervals."""
    lines = ["| scene | tool | DiR %, median over run seeds | 95 % interval |", "|---|---|---|---|"]
    for row in records(MEASURED):
        if row["dir"] and row["tool"] in config.tools:
            scene, tool = config.datasets[row["dataset"]].title, config.tools[row["tool"]].title or row["tool"]
            rate, low, high = (f"{100 * float(row[key]):.2f}" for key in ("dir", "dir_low", "dir_high"))
            lines.append(f"| {inline(scene)} | {inline(tool)} | {rate} | {low} to {high} |")
    return "\n".join(lines)


def costs(scale: str, config: Config) -> str:
    """A table of the targets of a plain run: jobs, time of one core, memory and disk, as `quantrift plan` estimates."""
    planned, known = priced(config, [CONFIGFILES[scale]], config.all, CORES)
    lines = ["| target | jobs | unknown | time of one core | between | memory | disk |", "|---" * 7 + "|"]
    lines += [_row(f"`{name}`", Sum.of(own, known)) for name, own in of_targets(config, config.all, planned)]
    lines.append(_row("all of these", Sum.of(planned, known)))
    return "\n".join([*lines, "", f"By `quantrift plan`: {time(planned, known, CORES)}."])


def _row(name: str, of: Sum) -> str:
    between = f"{duration(of.low)} and {duration(of.high)}" if of.estimated else ""
    middle = duration(of.core_seconds) if of.jobs > of.unknown else ""
    unknown = f"{of.unknown:,}" if of.unknown else ""
    return f"| {name} | {of.jobs:,} | {unknown} | {middle} | {between} | {of.memory} | {of.disk} |"


def quick(configs: Configs) -> Iterator[tuple[Section, str]]:
    """Sections that are made from the configuration and measured tables alone, each with its text."""
    yield section("claims"), claims(configs)
    yield section("data"), data(configs["sample"])
    yield section("values"), values(configs["demo"])


if __name__ == "__main__":
    of_scales = configurations()
    for scale, config in of_scales.items():
        section(f"costs at {scale} scale").write(costs(scale, config))
    for own, text in quick(of_scales):
        own.write(text)
