"""Jobs that a run in this folder would do again, with the reason, and files of older runs that nothing reads."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from quantrift.cli.planning.dry_run import Planned
from quantrift.core.base.grouped import grouped
from quantrift.core.base.paths import Paths
from quantrift.study.planning import work
from quantrift.study.planning.root import Config
from quantrift.study.results.targets.target import BitTarget, Searching, SecondsTarget

REASONS = {
    "Missing output files": "their files are not there",
    "Params have changed": "their settings, code or packages changed (or another version of Quantrift made them)",
    "Code has changed": "their code changed",
    "Set of input files has changed": "they are made from other files, because blocks or targets changed",
    "Updated input files": "the files that they are made from are newer",
    "Input files updated by another job": "the files that they are made from are made again",
}
"""Beginning of Snakemake's reason -> the reason in plain words; the first that fits counts."""


def lines(planned: Iterable[Planned]) -> Iterator[str]:
    """A line for each reason: how many jobs of which rules would run for it."""
    of_reason = grouped(
        (next((text for begin, text in REASONS.items() if begin in one.reason), one.reason), one.job.rule)
        for one in planned
        if one.outputs
    )
    if not of_reason:
        yield "a run would make nothing: all results match the configuration, the code and the packages"
    for said, rules in sorted(of_reason.items(), key=lambda item: -len(item[1])):
        shown = ", ".join(f"{count:,} {rule}" for rule, count in Counter(rules).most_common())
        yield f"a run would make {shown}: {said}"


def left_over(config: Config, paths: Paths) -> list[Path]:
    """Files of searches and of bit studies in blocks that the configuration does not have; sorted.

    They remain from a run with another ``engine`` section, or with an earlier version, which cut blocks by measured
    rates.
    """
    targets = list(config.targets.values())
    kept: dict[Path, set[str]] = {}
    found = {one for target in targets if isinstance(target, Searching) for one in work.searches_of(config, target)}
    found |= {
        one for target in targets if isinstance(target, SecondsTarget) for one in work.isolated_of(config, target)
    }
    for one in found:
        blocks = work.blocks(config, one)
        kept[paths.searches(*one)] = {name for block in blocks for name in (block, f"{block}.searches")}
    for bits in {one for target in targets if isinstance(target, BitTarget) for one in work.bits_of(config, target)}:
        kept[paths.bits(*bits, "-").parent] = {*work.network_blocks(config, bits)}
    files = [file for folder in kept if folder.is_dir() for file in folder.iterdir() if not file.name.startswith(".")]
    return sorted(file for file in files if file.name.removesuffix(".parquet") not in kept[file.parent])
