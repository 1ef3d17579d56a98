"""Groups of tools side by side and tested against each other, as in DiverGet's Table 7."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal, get_args

from pydantic import Field, model_validator

from quantrift.core.base.errors import nearest
from quantrift.core.page.shared_columns import RATES, SEARCHED, SUBJECT, SubjectKey
from quantrift.core.settings.searches import DRAW
from quantrift.core.settings.searches import Protocol as Rules
from quantrift.core.statistics.column import Column, frame, key
from quantrift.core.statistics.published import published_dataset
from quantrift.study.results.tables import comparison_notes as notes
from quantrift.study.results.tables.answer_words import Cells, Words, of_pairs, single, subject_of
from quantrift.study.results.tables.comparison import Row, adjusted, of_tests, only_published, published_of_tools
from quantrift.study.results.tables.comparison_columns import cells, columns, prefix, timing, used
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.tables.group_rows import TESTED, pair_rows, pooled, runs_of_groups
from quantrift.study.results.tables.measured_runs import Runs, Subject, load_all
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import Published, SearchTarget
from quantrift.study.results.targets.tool_groups import ToolsOrGroup, group_names

Rate = Literal["dir", "dir_unique", "dir_valid", "sr", "vr"]


class Settings(SearchTarget, Published):
    """Compares groups of tools on every subject: all pairs of them, or each with one."""

    kind: Literal["compare_groups"]
    groups: Annotated[dict[str, ToolsOrGroup], Field(min_length=2)]
    """Name of a group -> its tools, or its tools and their protocol."""
    rows: list[SubjectKey] | None = None
    """Keys of a row of the paper's table; its cells are means over all else. Without a key, it is the mean over
    everything, which is not tested. Rows of single subjects follow. Those alone are shown where it is not given."""
    metrics: list[Rate] = Field(default=[*get_args(Rate)])
    """Rates that pages show; the CSV has all."""
    tests: list[Rate] = Field(default=[*get_args(Rate)], min_length=1)
    """Rates that are tested between groups. Holm's correction is over their tests in the whole table."""
    baseline: str | None = None
    """Group that every other one is compared with; where it is not given, all pairs of groups are compared."""

    @model_validator(mode="after")
    def _baseline_is_a_group(self) -> "Settings":
        if self.baseline is not None and self.baseline not in self.groups:
            raise ValueError(
                f"baseline: '{self.baseline}' is none of the groups; {nearest(self.baseline, self.groups)}"
            )
        return self

    def shows(self, tool: str, protocol: str) -> bool:
        """Whether a group consists of this tool under this protocol."""
        return any(tool in group.tools and group.protocol in (None, protocol) for group in self.groups.values())


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """Metrics of each tool of a group on each subject."""
    return {"metrics": results.metrics(settings, beside=("intervals", "timing"))}


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


PUBLISHED = ("dir", "sr", "vr")
LABELS = (
    key("against", "Against", "Group that the statistics of the row compare with."),
    Column("subjects", "Subjects", "count", "Number of subjects that the row is a mean over.", "runs"),
)
DETAILS = ("timing",)
COLUMNS = columns(LABELS, TESTED, PUBLISHED)


def make(settings: Settings, given: Given) -> Table:
    """Rows of means over several subjects, if asked for, then rows of single subjects.

    A group has a row for each later group it is compared with, with the same cells; the last has one, without tests.
    Subjects that only the paper has follow.

    Raises:
        QuantriftError: a group's tool has results of two protocols, or the published file names another group.
    """
    measured = load_all([*given.one("metrics").values()])
    whats = (*PUBLISHED, *of_tests(PUBLISHED))
    papers = published_of_tools(given.published_file, {name: name for name in settings.groups}, whats)
    single = {subject: runs_of_groups(settings.groups, subject, searches) for subject, searches in measured.items()}
    means = pooled(single, settings.rows) if settings.rows is not None else {}
    rows: list[Row] = []
    shown: set[Subject] = set()
    for subject, (members, runs) in [*means.items(), *((one, ((one,), of_one)) for one, of_one in single.items())]:
        filed = (published_dataset(subject[0], given.datasets), *subject[1:])
        shown.add(filed)
        rows += pair_rows(subject, members, runs, papers.get(filed, {}), settings.tests, settings.baseline)
    rows = [*adjusted(rows), *only_published(papers, shown)]
    names = group_names({name: group.tools for name, group in settings.groups.items()}, given.titles)
    of_tools: dict[tuple[str, ...], Runs]
    of_tools = {(*subject, *search): runs for subject, found in measured.items() for search, runs in found.items()}
    unasked = [rate for rate in TESTED if rate not in settings.metrics]
    shown_columns = used(COLUMNS, rows)
    return Table(
        frame((cells(row, TESTED, given.scale) for row in rows), shown_columns),
        shown_columns,
        _notes(rows, settings, names, given),
        timing=timing(of_tools, [*(column.name for column in SEARCHED), "protocol"]),
        names=names,
        left_out=frozenset(name for rate in unasked for name in (rate, f"{rate}_pooled")),
    )


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> list[str]:
    """The first tested rate of each pair of groups."""
    rate = settings.tests[0]
    own = {(subject_of(row), row["tool"]): row for row in single(rows, rate)}
    pairs = [
        (row, own[subject_of(row), row["against"]])
        for row in single(rows, rate)
        if (subject_of(row), row["against"]) in own
    ]
    return of_pairs(words, pairs, rate, RATES[rate].label, prefix(rate, TESTED))


def _notes(rows: Sequence[Row], settings: Settings, names: Mapping[str, str], given: Given) -> list[str]:
    lines = [notes.size(rows, given.scale), notes.CELLS]
    for name, group in settings.groups.items():
        if names[name] != name:
            continue
        tools = ", ".join(given.titles.get(tool, tool) for tool in group.tools)
        under = f", protocol {group.protocol}" if group.protocol else ""
        lines.append(f"{name}: mean of the medians of {tools}{under}." if tools else f"{name}: not run here.")
    if settings.rows is not None:
        counts = sorted({len(row.subjects) for row in rows if "" in row.subject and row.subjects})
        over = [column.name for column in SUBJECT if column.name not in settings.rows]
        lines.append(
            f"Rows with an empty {' or '.join(over)} are arithmetic means of the medians over each "
            f"{' and '.join(over)} that was run "
            f"(subjects: {' or '.join(map(str, counts)) or 'none'}), candidates never pooled; the ends of their "
            "intervals are means of the subjects' ends. "
            + ("Their tests pair the means over the subjects by run seed." if settings.rows else "They are not tested.")
        )
    lines.append(notes.tested(rows, "Tests between groups", "the group named first"))
    if given.published_file:
        lines.append(f"Published numbers: {given.published_file.name}, for the networks and data of the paper.")
    return lines
