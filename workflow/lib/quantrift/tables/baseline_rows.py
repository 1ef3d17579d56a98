"""Rows of a comparison with a baseline: measured runs, their tests, and what the paper prints of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from quantrift.config.errors import QuantriftError, nearest
from quantrift.config.targets import BaselineTable
from quantrift.metrics.published import read_published
from quantrift.metrics.statistics import Comparison, holm
from quantrift.tables.runs import Runs, Subject, against, group

TESTED = ("dir", "dir_unique", "dir_valid", "vr")
"""Rates tested against the baseline; the statistics of the first bear no prefix."""

PUBLISHED = ("dir", "vr", "p_below", "a12_above")
"""What a published file may say of a tool or group; the last two are bounds."""


@dataclass(frozen=True)
class Row:
    """One tool or group on one subject; ``runs`` is None where nothing was run."""

    subject: Subject
    name: str
    tools: tuple[str, ...]
    """The tool itself, or the tools of the group."""
    runs: Runs | None
    comparisons: Mapping[str, Comparison]
    """Rate -> against the baseline; empty for the baseline itself and where one of the two was not run."""
    holm: Mapping[str, float | None]
    """Rate -> p adjusted over all tests of the table."""
    published: Mapping[str, float]
    """What the paper prints of it, by the names in ``PUBLISHED``."""


def read_printed(target: BaselineTable, published: Path | None) -> dict[Subject, dict[str, dict[str, float]]]:
    """Subject -> tool or group -> what the paper prints of it, in the order of the file.

    Raises:
        QuantriftError: a column belongs to no tool or group of the target.
    """
    names = {"baseline": target.baseline} | {name: name for name in target.groups}
    names |= {tool: tool for tools in target.groups.values() for tool in tools}
    columns = {f"{prefix}_{what}": (name, what) for prefix, name in names.items() for what in PUBLISHED}
    printed: dict[Subject, dict[str, dict[str, float]]] = {}
    rows = read_published(published, ("dataset", "model", "compression"))
    for (dataset, model, compression), numbers in rows.items():
        subject = printed.setdefault((dataset, model, compression), {})
        for column, value in numbers.items():
            if column not in columns:
                hint = nearest(column, columns)
                raise QuantriftError(f"{published}: column '{column}' belongs to no tool or group of the table; {hint}")
            name, what = columns[column]
            subject.setdefault(name, {})[what] = value
    return printed


def subject_rows(
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
        members = tuple(target.groups.get(name, [name]))
        yield Row(subject, name, members, measured, tests, {}, printed.get(name, {}))


Test = tuple[Subject, tuple[str, ...], str]


def family(rows: Sequence[Row]) -> dict[Test, Comparison]:
    """Every test of the table, once: a group of a single tool asks the same question as that tool."""
    return {
        (row.subject, row.tools, rate): test
        for row in rows
        for rate, test in row.comparisons.items()
        if test.p is not None
    }


def adjusted(rows: Sequence[Row]) -> list[Row]:
    """The rows with Holm's adjustment over the family."""
    tests = family(rows)
    values = dict(zip(tests, holm([test.p for test in tests.values()]), strict=True))
    return [
        replace(row, holm={rate: values.get((row.subject, row.tools, rate)) for rate in row.comparisons})
        for row in rows
    ]
