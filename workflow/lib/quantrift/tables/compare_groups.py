"""Kind ``compare_groups``: groups of tools side by side, every pair of them tested, as in DiverGet's Table 7."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from quantrift.config.comparison_targets import GroupTable, group_names
from quantrift.config.datasets import Dataset
from quantrift.metrics.given import Given
from quantrift.metrics.published import SUBJECT, published_dataset
from quantrift.tables import comparison_views as views
from quantrift.tables.comparison import BOUNDS, Row, adjusted, only_printed, read_printed
from quantrift.tables.comparison_data import data, timing
from quantrift.tables.group_rows import TESTED, pair_rows, pooled, runs_of_groups
from quantrift.tables.runs import Runs, Subject, load_all
from quantrift.tables.write import Table, View, write

RATES = ("dir", "sr", "vr")
"""Of which the papers print numbers."""
PUBLISHED = (*RATES, *BOUNDS)
"""What a published file may say of a group; bounds are of the first pair that the group comes first in."""


def make(target: GroupTable, given: Given, out_stem: Path) -> None:
    """Write the table: first the rows that are means over several subjects, if any are asked for, then single subjects.

    A group has a row for each later group it is compared with, with the same cells; the last has one, without tests.
    CSV columns: ``dataset``, ``model``, ``compression`` (empty where the row is a mean over it), ``tool`` (the group),
    ``against`` (the other group), ``subjects`` (how many the row is a mean over), then as in ``compare_to_baseline``,
    with statistics of ``tool`` against ``against``, also of ``sr``. Subjects that only the paper has follow with our
    columns empty.

    Args:
        target: what to compare.
        given: files per-run-seed CSVs of all subjects and tools; their order is the order of rows; its published file
            of the paper's numbers, if any.
        out_stem: path without suffix.

    Raises:
        QuantriftError: a group's tool has results of two protocols, or the published file names another group.
    """
    measured = load_all(given.files)
    printed = read_printed(given.published_file, {name: name for name in target.groups}, PUBLISHED)
    single = {subject: runs_of_groups(target, subject, searches) for subject, searches in measured.items()}
    means = pooled(single, target.rows) if target.rows is not None else {}
    rows: list[Row] = []
    shown: set[Subject] = set()
    for subject, (members, runs) in [*means.items(), *((one, ((one,), of_one)) for one, of_one in single.items())]:
        key = (published_dataset(subject[0], given.datasets), *subject[1:])
        shown.add(key)
        rows += pair_rows(subject, members, runs, printed.get(key, {}))
    rows = [*adjusted(rows), *only_printed(printed, shown)]
    names = group_names({name: group.tools for name, group in target.groups.items()}, given.titles)
    of_tools: dict[tuple[str, ...], Runs]
    of_tools = {(*subject, *search): runs for subject, found in measured.items() for search, runs in found.items()}
    files = {"/".join(key): runs.file for key, runs in of_tools.items() if runs.file}
    files |= given.published_files
    table = Table(
        title=target.title,
        header=_header(rows, target, names, given),
        data=data(rows, TESTED, PUBLISHED, given.scale, labels=("against", "subjects")),
        views=_views(rows, target, names, given.datasets),
        timing=timing(of_tools, (*SUBJECT, "tool", "protocol")),
        files=files,
    )
    write(table, out_stem, given.provenance)


def _views(
    rows: Sequence[Row], target: GroupTable, names: Mapping[str, str], datasets: Mapping[str, Dataset]
) -> list[View]:
    """Rates and tests of the rows that are means, then of single subjects."""
    printed = [rate for rate in RATES if any(rate in row.published for row in rows)]
    found = []
    for heading, means in (("means over subjects", True), ("single subjects", False)):
        part = [row for row in rows if ("" in row.subject) is means]
        once = list({(row.subject, row.name): row for row in part}.values())
        if part:
            rates = views.results(f"Rates, {heading}", once, names, datasets, rates=target.metrics, published=printed)
            tests = views.tests(f"Tests, {heading}", part, names, datasets, ("group", "against"))
            found += [rates, tests]
    return found


def _header(rows: Sequence[Row], target: GroupTable, names: Mapping[str, str], given: Given) -> list[str]:
    """Lines above the cells: scale, run seeds, inputs, and how the numbers were computed."""
    lines = [target.caption] if target.caption else []
    lines += [views.size(rows, given.scale), views.CELLS]
    for name, group in target.groups.items():
        if names[name] != name:
            continue
        tools = ", ".join(given.titles.get(tool, tool) for tool in group.tools)
        under = f", protocol {group.protocol}" if group.protocol else ""
        lines.append(f"{name}: mean of the medians of {tools}{under}." if tools else f"{name}: not run here.")
    if target.rows is not None:
        counts = sorted({len(row.subjects) for row in rows if "" in row.subject and row.subjects})
        over = [key for key in SUBJECT if key not in target.rows]
        lines.append(
            f'Rows that say "mean" are arithmetic means of the medians over each {" and ".join(over)} that was run '
            f"(subjects: {' or '.join(map(str, counts)) or 'none'}), candidates never pooled; the ends of their "
            "intervals are means of the subjects' ends. Their tests pair the means over the subjects by run seed."
        )
    lines.append(views.tested(rows, "Tests between groups", "the group named first"))
    if given.published_file:
        lines.append(f"Published numbers: {given.published_file.name}, for the networks and data of the paper.")
    return lines
