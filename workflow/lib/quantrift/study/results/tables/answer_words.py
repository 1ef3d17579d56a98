"""Sentences that answer the question of a table: its cells, and the names of its rows, in words.

A number in a sentence is a cell of the table, rounded, or a count of its rows. Where rows do not carry a value, a
sentence leaves it out.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, TypeVar

from quantrift.core.base import grouped as by_key
from quantrift.core.page.arrangement import Names
from quantrift.core.page.number_format import number, shown
from quantrift.core.statistics.column import Column, Columns
from quantrift.core.statistics.published import SUBJECT
from quantrift.core.statistics.statistics import ALPHA

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
Cells = Mapping[str, str]
"""Cells of a row of the CSV, by column."""
NAMED = 3
"""Most subjects that have a sentence each; of more, sentences give the least and the most."""
LISTED = 5
"""Most tools or settings that a sentence lists."""


def percent(value: float) -> str:
    """A fraction in percent without its unit: one decimal, more where it would read 0 or 100 and is neither."""
    scaled = 100 * value
    texts = [f"{scaled:.{decimals}f}" for decimals in range(1, 9)]
    text = next((one for one in texts if scaled in (0, 100) or float(one) not in (0, 100)), texts[-1])
    return text.rstrip("0").rstrip(".").replace("-", "\u2212")


class Words:
    """Cells and names of one table in words."""

    def __init__(self, columns: Columns, names: Names) -> None:
        self._columns = {column.name: column for column in columns}
        self._names = names

    def name(self, one: str) -> str:
        """Title of an id, in quotation marks where it has a comma."""
        title = self._title(one)
        return f"\u201c{title}\u201d" if "," in title else title

    def _title(self, one: str) -> str:
        return self._names.titles.get(one, one)

    def cell(self, row: Cells, name: str) -> str:
        """A value with its unit and, where it has one, its 95 % interval; empty where there is no value."""
        column, value = self._columns[name], number(row[name])
        if value is None:
            return ""
        ends = [number(row.get(end, "")) for end in (column.low, column.high)]
        shown = ", ".join(_text(end, column) for end in ends if end is not None)
        return _with_unit(_text(value, column), column) + ("" if None in ends else f" [{shown}]")

    def cells(self, rows: Sequence[Cells], name: str) -> str:
        """The cell of one row; of several rows, the least and the most, without intervals."""
        values = sorted(value for row in rows if (value := number(row[name])) is not None)
        if len(rows) == 1 or not values:
            return self.cell(rows[0], name) if rows else ""
        column = self._columns[name]
        least, most = (_with_unit(_text(value, column), column) for value in (values[0], values[-1]))
        return least if least == most else f"{least} to {most}"

    def where(self, rows: Sequence[Cells], keys: Sequence[str] = SUBJECT) -> str:
        """The subject of some rows, or the number of their subjects; simulated data are called so."""
        subjects = list(dict.fromkeys(subject_of(row, keys) for row in rows))
        simulated = sum(subject[0] in self._names.simulated for subject in subjects)
        if len(subjects) == 1:
            text = " \u00b7 ".join(self._title(part) for part in subjects[0] if part)
            return text + (" (simulated data)" if simulated and "simulated" not in text.lower() else "")
        how_many = "all" if simulated == len(subjects) else str(simulated)
        plural = {3: "subjects", 2: "networks"}.get(len(keys), "datasets")
        return f"{len(subjects)} {plural}" + (f" ({how_many} of simulated data)" if simulated else "")


def grouped(rows: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Rows by what they have in common, in their order."""
    return by_key.grouped((key(row), row) for row in rows)


def by(rows: Iterable[Cells], column: str) -> dict[str, list[Cells]]:
    """Rows by their cells in a column, in their order."""
    return grouped(rows, itemgetter(column))


def by_subject(rows: Sequence[Cells], keys: Sequence[str] = SUBJECT) -> list[list[Cells]]:
    """Rows of each subject where these are few, else all rows together; none without rows."""
    found = grouped(rows, lambda row: subject_of(row, keys))
    return list(found.values()) if len(found) <= NAMED else [list(rows)]


def subject_of(row: Mapping[str, Any], keys: Sequence[str] = SUBJECT) -> tuple[str, ...]:
    """Dataset, network and compression of a row."""
    return tuple(str(row.get(key, "")) for key in keys)


def once(rows: Sequence[Cells]) -> list[Cells]:
    """The first row of each subject."""
    return list({subject_of(row): row for row in reversed(rows)}.values())[::-1]


def listed(parts: Sequence[str]) -> str:
    """The first of some parts of a sentence, and how many more there are."""
    more = len(parts) - LISTED
    return ", ".join(parts[:LISTED]) + (f", and {more} more in the table" if more > 0 else "")


def single(rows: Sequence[Cells], *columns: str) -> list[Cells]:
    """Rows of single subjects with a value in each of some columns; means over subjects are left out."""
    return [
        row
        for row in rows
        if all(number(row[name]) is not None for name in columns)
        and all(row.get(key) != "" for key in SUBJECT if key in row)
    ]


def of_each(
    settings: object,
    rows: Sequence[Cells],
    words: Words,
    column: str,
    template: str,
    *,
    key: str = "tool",
    join: str = " with ",
) -> Iterator[str]:
    """A sentence a subject: a value of each tool, or of each other id in column ``key``; often all of an ``answer``.

    Args:
        settings: of the target.
        rows: several of one tool on one subject count once.
        words: of the table.
        column: of the value.
        template: words around the first value, which stands for ``{}``.
        key: column of the tools.
        join: words between a value and its tool.
    """
    for own in by_subject(single(rows, column)):
        first, *others = (
            f"{words.cells(once(of_tool), column)}{join}{words.name(tool)}" for tool, of_tool in by(own, key).items()
        )
        value, _, rest = first.partition(join)
        yield f"{words.where(own)}: {listed([f'{template.format(value)}{join}{rest}', *others])}."


def of_pairs(words: Words, pairs: Sequence[tuple[Cells, Cells]], rate: str, label: str, prefix: str) -> list[str]:
    """A sentence for each pair of tools on a subject: the rate of both, and whether the difference is significant.

    ``prefix``: of the names of the rate's statistics.
    """
    beside = {id(first): second for first, second in pairs}
    whole = [first for first, second in pairs if number(first[rate]) is not None and number(second[rate]) is not None]
    named = grouped(whole, lambda row: (row["tool"], beside[id(row)]["tool"]))
    found = [
        f"{words.where(own)}: {label} {words.cells(own, rate)} with {words.name(one)}, "
        f"{words.cells([beside[id(row)] for row in own], rate)} with {words.name(other)}"
        f"{significance(words, own, prefix)}."
        for (one, other), rows in named.items()
        for own in by_subject(rows)
    ]
    left = len(found) - LISTED
    return [*found[:LISTED], *([f"{left} more comparison{'s' if left > 1 else ''} in the table."] if left > 0 else [])]


def of_settings(
    words: Words, rows: Sequence[Cells], baselines: Mapping[tuple[str, ...], Cells], rate: str, label: str, prefix: str
) -> Iterator[str]:
    """A sentence a subject on many tools against one: the range of a rate, and how many differ significantly."""
    for own in by_subject(rows):
        against = [baselines[subject] for subject in dict.fromkeys(map(subject_of, own))]
        tools = len({row["tool"] for row in own})
        yield (
            f"{words.where(own)}: {label} {words.cells(against, rate)} with {words.name(against[0]['tool'])}, "
            f"{words.cells(own, rate)} with {tools} others{significance(words, own, prefix)}."
        )


def extremes(words: Words, rows: Sequence[Cells], column: str, key: str) -> str:
    """The least and the most of a column, each with the id in column ``key`` of its row."""
    low, high = (end(rows, key=lambda row: float(row[column])) for end in (min, max))
    if low is high:
        return f"{words.cell(low, column)} with {words.name(low[key])}"
    least, most = (f"{words.cell(row, column)} with {words.name(row[key])}" for row in (low, high))
    return f"from {least} to {most}"


def significant(rows: Sequence[Cells], prefix: str) -> tuple[int, int, int]:
    """Rows with a test, those significantly above and below after Holm's correction, at 5 %.

    ``prefix``: of the names of their statistics; a shift tells the side.
    """
    ps = [(p, row) for row in rows if (p := number(row[f"{prefix}p_holm"])) is not None]
    shifts = [number(row[f"{prefix}shift"]) or 0 for p, row in ps if p < ALPHA]
    return len(ps), sum(shift > 0 for shift in shifts), sum(shift < 0 for shift in shifts)


def significance(words: Words, rows: Sequence[Cells], prefix: str) -> str:
    """The outcome of the tests of some rows, as the end of a sentence; ``prefix``: of the names of their statistics."""
    tested, more, less = significant(rows, prefix)
    if not tested:
        explored = any(number(row[f"{prefix}p"]) is not None for row in rows)
        return "; not a planned test" if explored else "; not tested"
    if len(rows) == 1:
        clear = "a significant difference" if more or less else "no significant difference"
        return f"; {clear} (p {words.cell(rows[0], f'{prefix}p_holm')} after Holm's correction)"
    return f"; significantly more on {more} and less on {less} of {tested} after Holm's correction"


def _text(value: float, column: Column) -> str:
    return percent(value) if column.kind in ("fraction", "points") else shown(value, column.kind)


def _with_unit(text: str, column: Column) -> str:
    return f"{text}\u00a0{column.unit}" if column.unit else text
