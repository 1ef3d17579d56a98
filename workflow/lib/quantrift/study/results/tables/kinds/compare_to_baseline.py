"""Every tool and group of tools beside a baseline, as in DiverGet's Table 4."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Literal

from quantrift.core.page.shared_columns import SEARCHED
from quantrift.core.settings.references import ToolId
from quantrift.core.statistics.column import frame
from quantrift.core.statistics.published import published_dataset
from quantrift.core.statistics.statistics import Comparison
from quantrift.study.results.tables import comparison_notes as notes
from quantrift.study.results.tables.answer_words import LISTED, Cells, Words, of_pairs, of_settings, single, subject_of
from quantrift.study.results.tables.comparison import Row, adjusted, of_tests, only_published, published_of_tools
from quantrift.study.results.tables.comparison_columns import cells, columns, timing, used
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.tables.measured_runs import Runs, Subject, against, group, load
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import Published, SearchTarget


class Settings(SearchTarget, Published):
    """Compares groups of tools with a baseline on every subject."""

    kind: Literal["compare_to_baseline"]
    baseline: ToolId
    """Tool that all others are compared with."""
    groups: dict[str, list[ToolId]]
    """Name of a group -> its tools; a cell of a group is the mean of its tools' medians."""


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """Metrics of each tool on each subject."""
    return {"metrics": results.metrics(settings, beside=("intervals", "timing"))}


def mistakes(settings: Settings, whole: protocol_checks.Whole) -> Iterator[str]:
    """Each input must be searched once in a run seed; groups have rows beside those of tools."""
    return chain(
        protocol_checks.one_search_each(settings, whole), protocol_checks.groups_are_no_tools(settings.groups, whole)
    )


TESTED = ("dir", "dir_unique", "dir_valid", "vr")
PUBLISHED = ("dir", "vr")
DETAILS = ("timing",)
COLUMNS = columns((), TESTED, PUBLISHED)


def make(settings: Settings, given: Given) -> Table:
    """Rows of each subject: baseline, tools with data, groups; then subjects that only the paper has.

    A12, rank-biserial and shift are positive or above 0.5 where the row's tool has the larger rate.

    Raises:
        QuantriftError: the results cannot be compared, or the published file names a tool or group not in the target.
    """
    measured = load([*given.one("metrics").values()])
    prefixes = {"baseline": settings.baseline} | {name: name for name in settings.groups}
    prefixes |= {tool: tool for tools in settings.groups.values() for tool in tools}
    papers = published_of_tools(given.published_file, prefixes, (*PUBLISHED, *of_tests(PUBLISHED)))
    rows: list[Row] = []
    shown = set()
    for subject, tools in measured.items():
        filed = (published_dataset(subject[0], given.datasets), *subject[1:])
        shown.add(filed)
        rows += _rows(settings, subject, tools, papers.get(filed, {}))
    rows = [*adjusted(rows), *only_published(papers, shown)]
    of_tools: dict[tuple[str, ...], Runs]
    of_tools = {(*subject, tool): runs for subject, tools in measured.items() for tool, runs in tools.items()}
    shown_columns = used(COLUMNS, rows)
    return Table(
        frame((cells(row, TESTED, given.scale) for row in rows), shown_columns),
        shown_columns,
        _notes(rows, settings, given),
        timing=timing(of_tools, [column.name for column in SEARCHED]),
    )


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> list[str]:
    """The rates of the baseline and of each group, also among valid candidates; of many settings, their range."""
    ran = single(rows, "dir")
    baselines = {subject_of(row): row for row in ran if row["tool"] == settings.baseline}
    others = [row for row in ran if row["tool"] != settings.baseline and subject_of(row) in baselines]
    groups = [row for row in others if row["tool"] in settings.groups]
    if not groups and len({row["tool"] for row in others}) > LISTED:
        return of_settings(words, others, baselines, "dir", "DiR", "")
    pairs = [(row, baselines[subject_of(row)]) for row in groups or others]
    return [
        *of_pairs(words, pairs, "dir", "DiR", ""),
        *of_pairs(words, pairs, "dir_valid", "DiR among valid candidates", "dir_valid_"),
    ]


def _rows(
    settings: Settings, subject: Subject, tools: Mapping[str, Runs], papers: Mapping[str, Mapping[str, float]]
) -> Iterator[Row]:
    """The baseline, the other tools that have data, then the groups; p-values still unadjusted."""
    baseline = tools.get(settings.baseline)
    runs: dict[str, Runs | None] = {settings.baseline: baseline}
    runs |= tools
    runs |= {name: group([tools.get(tool) for tool in members]) for name, members in settings.groups.items()}
    for name, measured in runs.items():
        tests: dict[str, Comparison] = {}
        if measured and baseline and measured is not baseline:
            tests = {rate: against(measured, baseline, rate) for rate in TESTED}
        # A group of a single tool asks the same question as that tool.
        asks = (subject, tuple(settings.groups.get(name, [name])))
        yield Row(subject, name, asks, measured, tests, published=papers.get(name, {}))


def _notes(rows: Sequence[Row], settings: Settings, given: Given) -> list[str]:
    def named(tool: str) -> str:
        return given.titles.get(tool, tool)

    lines = [notes.size(rows, given.scale), notes.CELLS]
    for name, members in settings.groups.items():
        lines.append(f"{named(name)}: mean of the medians of {', '.join(map(named, members))}.")
    lines.append(notes.tested(rows, f"Tests against {named(settings.baseline)}", "the row's tool"))
    if given.published_file:
        lines.append(f"Published numbers: {given.published_file.name}, for the networks and data of the paper.")
    return lines
