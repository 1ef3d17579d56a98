"""Groups of tools side by side and tested against each other, as in DiverGet's Table 7."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Literal, get_args

from pydantic import Field

from quantrift.core.base.errors import nearest
from quantrift.core.page.shared_columns import RATES, SEARCHED, SubjectKey
from quantrift.core.settings.searches import DRAW
from quantrift.core.settings.searches import Protocol as Rules
from quantrift.core.statistics.column import Column, key
from quantrift.core.statistics.published import SUBJECT
from quantrift.study.results.tables.answer_words import Cells, Words, of_pairs, single, subject_of
from quantrift.study.results.tables.comparison import (
    CELLS,
    Row,
    columns,
    of_tests,
    pair_rows,
    prefix,
    published_of_tools,
    size,
    table,
    tested_by,
    timing,
)
from quantrift.study.results.tables.comparison import needs as needs
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.tables.measured_runs import load_all, pooled, runs_of_groups
from quantrift.study.results.tables.published_numbers import filed
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.target import Published, SearchTarget, TestedTarget
from quantrift.study.results.targets.tool_groups import ToolsOrGroup, group_names

Rate = Literal["dir", "dir_unique", "dir_valid", "sr", "vr"]


class Settings(SearchTarget, Published, TestedTarget):
    """Compares groups of tools on every subject: all pairs of them, or each with one."""

    groups: Annotated[dict[str, ToolsOrGroup], Field(min_length=2)]
    """Name of a group -> its tools, or its tools and their protocol."""
    rows: list[SubjectKey] | None = None
    """Keys of a row of the paper's table; its cells are means over all else. Without a key, it is the mean over
    everything, which is not tested. Rows of single subjects follow. Those alone are shown where it is not given."""
    metrics: list[Rate] = Field(default=[*get_args(Rate)])
    """Rates that pages show; the CSV has all."""
    tests: list[Rate] = Field(default=[*get_args(Rate)], min_length=1)
    """Rates that are tested between groups."""
    baseline: str | None = None
    """Group that every other one is compared with; where it is not given, all pairs of groups are compared."""

    def faults(self) -> Mapping[str, object]:
        """See ``Strict``."""
        text = f"baseline: '{self.baseline}' is none of the groups; {nearest(self.baseline or '', self.groups)}"
        return {text: self.baseline not in (None, *self.groups)}

    def names_of_rows(self, tools: Iterable[str]) -> set[str]:
        """See ``TestedTarget``."""
        return {*self.groups}

    def shows(self, tool: str, protocol: str) -> bool:
        """Whether a group consists of this tool under this protocol."""
        return any(tool in group.tools and group.protocol in (None, protocol) for group in self.groups.values())


def mistakes(settings: Settings, whole: protocol_checks.Whole) -> Iterator[str]:
    """A group must have one protocol, all groups the same inputs, and each input one search in a run seed."""
    used: dict[str, Rules] = {}
    for name, group in settings.groups.items():
        found = {
            experiment.protocol: whole.protocols[experiment.protocol]
            for experiment in (whole.experiments[one] for one in settings.experiments)
            if set(experiment.tools) & set(group.tools) and group.protocol in (None, experiment.protocol)
        }
        if len(found) > 1:
            yield (
                f"groups: the tools of '{name}' are searched under {', '.join(found)}; name one of them as its protocol"
            )
        used |= found
    if not protocol_checks.same_inputs(used.values()):
        yield (
            f"groups: {', '.join(used)} draw different seed inputs, and groups are compared on the "
            f"same ones; state the same {', '.join(DRAW)}"
        )
    yield from protocol_checks.one_search_each(settings, whole)
    yield from protocol_checks.planned(settings, whole)


TESTED = get_args(Rate)
"""Rates that may be tested between groups; the statistics of the first bear no prefix."""
PUBLISHED = ("dir", "sr", "vr")
DETAILS = ("timing",)
COLUMNS = columns(
    (
        key("against", "Against", "Group that the statistics of the row compare with."),
        Column("subjects", "Subjects", "count", "Number of subjects that the row is a mean over.", "runs"),
    ),
    TESTED,
    PUBLISHED,
)


def make(settings: Settings, given: Given) -> Table:
    """Rows of means over several subjects, if asked for, then rows of single subjects.

    A group has a row for each later group it is compared with, with the same cells; the last has one, without tests.
    Subjects that only the paper has follow.

    Raises:
        QuantriftError: a group's tool has results of two protocols, or the published file names another group.
    """
    measured = load_all([*given.one("metrics").values()])
    papers = published_of_tools(
        given.published_file, {name: name for name in settings.groups}, (*PUBLISHED, *of_tests(PUBLISHED))
    )
    single = {subject: runs_of_groups(settings.groups, subject, searches) for subject, searches in measured.items()}
    means = pooled(single, settings.rows) if settings.rows is not None else {}
    rows = [
        row
        for subject, (members, runs) in [*means.items(), *((one, ((one,), of_one)) for one, of_one in single.items())]
        for own in [papers.get(filed(subject, given.published_as), {})]
        for row in pair_rows(subject, members, runs, own, settings.tests, settings.baseline)
    ]
    names = group_names({name: group.tools for name, group in settings.groups.items()}, given.titles)
    return table(
        rows,
        papers,
        COLUMNS,
        TESTED,
        given,
        settings=settings,
        notes=_notes(rows, settings, names, given),
        timing=timing(
            {(*subject, *search): runs for subject, found in measured.items() for search, runs in found.items()},
            [*(column.name for column in SEARCHED), "protocol"],
        ),
        names=names,
        left_out=frozenset(
            name for rate in TESTED if rate not in settings.metrics for name in (rate, f"{rate}_pooled")
        ),
    )


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> Iterable[str]:
    """The first tested rate of each pair of groups."""
    rate = settings.tests[0]
    own = {(subject_of(row), row["tool"]): row for row in single(rows, rate)}
    pairs = [(row, own[other]) for row in single(rows, rate) if (other := (subject_of(row), row["against"])) in own]
    return of_pairs(words, pairs, rate, RATES[rate].label, prefix(rate, TESTED))


def _notes(rows: Sequence[Row], settings: Settings, names: Mapping[str, str], given: Given) -> list[str]:
    counts = sorted({len(row.subjects) for row in rows if "" in row.subject and row.subjects})
    over = [key for key in SUBJECT if key not in (settings.rows or ())]
    return [
        size(rows, given.scale),
        CELLS,
        *(
            f"{name}: mean of the medians of {tools}{(group.protocol and f', protocol {group.protocol}') or ''}."
            if (tools := ", ".join(given.titles.get(tool, tool) for tool in group.tools))
            else f"{name}: not run here."
            for name, group in settings.groups.items()
            if names[name] == name
        ),
        (
            f"Rows with an empty {' or '.join(over)} are arithmetic means of the medians over each "
            f"{' and '.join(over)} that was run "
            f"(subjects: {' or '.join(map(str, counts)) or 'none'}), candidates never pooled; the ends of their "
            "intervals are means of the subjects' ends. "
            f"{'Their tests pair the means over the subjects by run seed' if settings.rows else 'They are not tested'}."
        )
        if settings.rows is not None
        else "",
        *tested_by(rows, settings, "Tests between groups", "the group named first", given),
    ]
