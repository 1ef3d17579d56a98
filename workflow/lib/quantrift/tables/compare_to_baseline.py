"""Kind ``compare_to_baseline``: every tool and group of tools beside a baseline, as in DiverGet's Table 4."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from quantrift.config.comparison_targets import BaselineTable
from quantrift.metrics.given import Given
from quantrift.metrics.published import SUBJECT, published_dataset
from quantrift.metrics.statistics import Comparison
from quantrift.tables import comparison_views as views
from quantrift.tables.comparison import BOUNDS, Row, adjusted, only_printed, read_printed
from quantrift.tables.comparison_data import data, timing
from quantrift.tables.runs import Runs, Subject, against, group, load
from quantrift.tables.write import Table, write

TESTED = ("dir", "dir_unique", "dir_valid", "vr")
"""Rates tested against the baseline; the statistics of the first bear no prefix."""
PUBLISHED = ("dir", "vr", *BOUNDS)
"""What a published file may say of a tool or group."""


def make(target: BaselineTable, given: Given, out_stem: Path) -> None:
    """Write the table: of each subject the baseline, each tool that has data, and each group.

    CSV columns: ``dataset``, ``model``, ``compression``, ``tool`` (or group), ``run_seeds``, ``inputs`` (of a run
    seed), the rates (fractions; medians over run seeds; of a group the mean of its tools' medians), ``queries``;
    ``<rate>_low``, ``<rate>_high`` (95 %, of that median); ``<rate>_pooled`` (over all seed inputs) with its interval
    and ``<rate>_rests_on`` (in words, where fewer than three have an event); the statistics against the baseline, first
    those of ``dir`` without prefix, then ``dir_unique_p`` ...; ``published_...``; ``scale``. A12, rank-biserial and
    shift are positive or above 0.5 where the row's tool has the larger rate. Subjects that only the paper has follow
    with our columns empty.

    Args:
        target: what to compare.
        given: files per-run-seed CSVs of all subjects and tools; their order is the order of rows; its published file
            of the paper's numbers, if any.
        out_stem: path without suffix.

    Raises:
        QuantriftError: the results cannot be compared, or the published file names a tool or group not in the target.
    """
    measured = load(given.files)
    prefixes = {"baseline": target.baseline} | {name: name for name in target.groups}
    prefixes |= {tool: tool for tools in target.groups.values() for tool in tools}
    printed = read_printed(given.published_file, prefixes, PUBLISHED)
    rows: list[Row] = []
    shown = set()
    for subject, tools in measured.items():
        key = (published_dataset(subject[0], given.datasets), *subject[1:])
        shown.add(key)
        rows += _rows(target, subject, tools, printed.get(key, {}))
    rows = [*adjusted(rows), *only_printed(printed, shown)]
    names = {name: given.titles.get(name, name) for name in dict.fromkeys(row.name for row in rows)}
    of_tools: dict[tuple[str, ...], Runs]
    of_tools = {(*subject, tool): runs for subject, tools in measured.items() for tool, runs in tools.items()}
    files = {"/".join(key): runs.file for key, runs in of_tools.items() if runs.file}
    files |= given.published_files
    table = Table(
        title=target.title,
        header=_header(rows, target, names, given.scale, given.published_file),
        data=data(rows, TESTED, PUBLISHED, given.scale),
        views=[
            views.results("Rates", rows, names, given.datasets),
            views.tests("Tests against the baseline", rows, names, given.datasets, ("tool",)),
        ],
        timing=timing(of_tools, (*SUBJECT, "tool")),
        files=files,
    )
    write(table, out_stem, given.provenance)


def _rows(
    target: BaselineTable, subject: Subject, tools: Mapping[str, Runs], printed: Mapping[str, Mapping[str, float]]
) -> Iterator[Row]:
    """The baseline, the other tools that have data, then the groups; p-values still unadjusted."""
    baseline = tools.get(target.baseline)
    runs: dict[str, Runs | None] = {target.baseline: baseline}
    runs |= tools
    runs |= {name: group([tools.get(tool) for tool in members]) for name, members in target.groups.items()}
    for name, measured in runs.items():
        tests: dict[str, Comparison] = {}
        if measured and baseline and measured is not baseline:
            tests = {rate: against(measured, baseline, rate) for rate in TESTED}
        # A group of a single tool asks the same question as that tool.
        asks = (subject, tuple(target.groups.get(name, [name])))
        yield Row(subject, name, asks, measured, tests, published=printed.get(name, {}))


def _header(
    rows: Sequence[Row], target: BaselineTable, names: Mapping[str, str], scale: str, published: Path | None
) -> list[str]:
    """Lines above the cells: scale, run seeds, inputs, and how the numbers were computed."""
    lines = [target.caption] if target.caption else []
    lines += [views.size(rows, scale), views.CELLS]
    for name, members in target.groups.items():
        tools = ", ".join(names.get(tool, tool) for tool in members)
        lines.append(f"{names.get(name, name)}: mean of the medians of {tools}.")
    lines.append(views.tested(rows, f"Tests against {names.get(target.baseline, target.baseline)}", "the row's tool"))
    if published:
        lines.append(f"Published numbers: {published.name}, for the networks and data of the paper.")
    return lines
