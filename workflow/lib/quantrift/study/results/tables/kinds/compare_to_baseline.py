"""Every tool and group of tools beside a baseline, as in DiverGet's Table 4."""

from collections.abc import Iterable, Sequence
from itertools import chain

from quantrift.core.page.shared_columns import SEARCHED
from quantrift.core.settings.references import ToolId
from quantrift.study.results.tables.answer_words import LISTED, Cells, Words, of_pairs, of_settings, single, subject_of
from quantrift.study.results.tables.comparison import (
    CELLS,
    Row,
    columns,
    of_tests,
    pair_rows,
    published_of_tools,
    size,
    table,
    tested_by,
    timing,
)
from quantrift.study.results.tables.comparison import needs as needs
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.tables.measured_runs import group, load
from quantrift.study.results.tables.published_numbers import filed
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.target import Published, SearchTarget, TestedTarget


class Settings(SearchTarget, Published, TestedTarget):
    """Compares groups of tools with a baseline on every subject."""

    baseline: ToolId
    """Tool that all others are compared with."""
    groups: dict[str, list[ToolId]]
    """Name of a group -> its tools; a cell of a group is the mean of its tools' medians."""

    def names_of_rows(self, tools: Iterable[str]) -> set[str]:
        """See ``TestedTarget``."""
        return {*tools, *self.groups}


mistakes = protocol_checks.all_of(
    protocol_checks.one_search_each, protocol_checks.groups_are_no_tools, protocol_checks.planned
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
    names = {name: name for name in chain(settings.groups, *settings.groups.values())}
    papers = published_of_tools(
        given.published_file, {"baseline": settings.baseline, **names}, (*PUBLISHED, *of_tests(PUBLISHED))
    )
    # A group of a single tool asks the same question as that tool.
    asked = {name: tuple(tools) for name, tools in settings.groups.items()}
    rows: list[Row] = []
    for subject, tools in measured.items():
        groups = {name: group([tools.get(tool) for tool in own]) for name, own in settings.groups.items()}
        runs = {settings.baseline: tools.get(settings.baseline), **tools, **groups}
        own = papers.get(filed(subject, given.published_as), {})
        rows += pair_rows(subject, (subject,), runs, own, TESTED, settings.baseline, asked)
    of_tools = {(*subject, tool): runs for subject, tools in measured.items() for tool, runs in tools.items()}
    return table(
        rows,
        papers,
        COLUMNS,
        TESTED,
        given,
        settings=settings,
        notes=_notes(rows, settings, given),
        timing=timing(of_tools, [column.name for column in SEARCHED]),
    )


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> Iterable[str]:
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


def _notes(rows: Sequence[Row], settings: Settings, given: Given) -> list[str]:
    return [
        size(rows, given.scale),
        CELLS,
        *(
            f"{given.named(name)}: mean of the medians of {', '.join(map(given.named, members))}."
            for name, members in settings.groups.items()
        ),
        *tested_by(rows, settings, f"Tests against {given.named(settings.baseline)}", "the row's tool", given),
    ]
