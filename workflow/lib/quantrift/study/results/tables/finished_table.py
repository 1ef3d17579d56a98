"""Files of a finished table: .csv for programs, .md for people, meaning and answer for pages, provenance."""

import csv
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from quantrift.core.base.files import replacing, write_json
from quantrift.core.page import markdown
from quantrift.core.page.arrangement import Arranged, Names, arrange, records
from quantrift.core.page.made_table import detail_of
from quantrift.core.statistics.column import SCALE, Column, Columns
from quantrift.study.results.tables.answer_words import Cells, Words


@dataclass(frozen=True)
class Detail:
    """Numbers behind a table, in a file of their own."""

    heading: str
    """Heading above its rows in pages; empty where the rows are for programs only."""
    data: pd.DataFrame
    columns: Columns = ()
    """Columns of the rows that pages show."""


@dataclass(frozen=True)
class Table:
    """A finished table."""

    data: pd.DataFrame
    """Fractions 0..1, no text formatting, no times; its columns are those of ``columns``, in their order."""
    columns: Columns
    notes: Sequence[str] = ()
    """Lines above the cells, after the caption: scale, run seeds, inputs, how to read it."""
    timing: pd.DataFrame | None = None
    """Seconds, and whatever else a clock measures."""
    details: Mapping[str, Detail] = field(default_factory=dict)
    """Ending of the file's name -> numbers."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Display names that the table has of its own, by id; they go before those of the configuration."""
    left_out: frozenset[str] = frozenset()
    """Columns that the Markdown file leaves out."""

    @property
    def beside(self) -> tuple[str, ...]:
        """Names of the CSV files beside its own."""
        return (*self.details, *(["timing"] if self.timing is not None else []))


Answer = Callable[[Sequence[Cells], Words], Sequence[str]]
"""Sentences that answer the question of a target, from the rows of its CSV."""


def write(
    table: Table,
    title: str,
    caption: str,
    stem: Path,
    names: Names,
    files: Mapping[str, Path],
    facts: Mapping[str, Any],
    answer: Answer | None = None,
) -> None:
    """Write ``<stem>.csv``, ``.columns.json``, ``.md``, ``.provenance.json`` and, with times, ``.timing.csv``.

    Details go to ``<stem>.<name>.csv``.

    Args:
        table: what to write.
        title: heading of the target.
        caption: paragraph below the heading; may be empty.
        stem: path without suffix; its name is the target's.
        names: display names.
        files: name -> file that the table was made from, whose digest goes into the provenance.
        facts: entries of the provenance beside these digests.
        answer: of the table's kind, if it has one; its sentences stand beside the meaning of the columns.
    """
    _check(table)
    _write_csv(table.data, _beside(stem, ".csv"))
    rows = records(_beside(stem, ".csv"))
    own = names.with_own(table.names)
    meaning = {
        "columns": [asdict(column) for column in table.columns],
        "names": dict(table.names),
        "answer": list(answer(rows, Words(table.columns, own))) if answer else [],
    }
    write_json(_beside(stem, ".columns.json"), meaning)
    for name, detail in table.details.items():
        _write_csv(detail.data, detail_of(stem, name))
    if table.timing is not None:
        _write_csv(table.timing, detail_of(stem, "timing"))
    shown = [column for column in table.columns if column.name not in table.left_out]
    parts = _parts(arrange(rows, shown, own, divide=False))
    for name, detail in table.details.items():
        if detail.columns and len(detail.data):
            behind = records(detail_of(stem, name))
            parts[detail.heading] = _all_columns(arrange(behind, detail.columns, own, divide=False))
    with replacing(_beside(stem, ".md")) as temporary:
        header = [*([caption] if caption else []), *table.notes]
        temporary.write_text(markdown.document(title, header, parts), encoding="utf-8")
    digests = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}
    write_json(_beside(stem, ".provenance.json"), {"target": stem.name, **facts, "files": digests})


def _check(table: Table) -> None:
    """Check that every column is shown, as such or in the cells of another one."""
    if list(table.data.columns) != [column.name for column in table.columns]:
        raise ValueError("the data have other columns than those that are declared, or in another order")
    beside = {name for column in table.columns for name in (column.low, column.high, column.rests_on)}
    hidden = {column.name for column in table.columns if column.group == "end"} - beside - {SCALE.name}
    if hidden:
        raise ValueError(f"{', '.join(sorted(hidden))}: stands in no cell; name it in the column that it belongs to")


def _beside(stem: Path, ending: str) -> Path:
    return stem.with_name(stem.name + ending)


def _parts(shown: Arranged) -> dict[str, list[list[str]]]:
    """The rows with all but statistics, then, with what names them, the rows that have statistics of one kind."""
    keys = [place for place, column in enumerate(shown.columns) if column.group == "key"]
    found = {"": [place for place, column in enumerate(shown.columns) if column.group != "statistics"]}
    for place, column in enumerate(shown.columns):
        if column.group == "statistics":
            found.setdefault(f"Statistics{column.part and f' of {column.part}'}", [*keys]).append(place)
    return {heading: _rows(shown, places, [] if not heading else keys) for heading, places in found.items()}


def _all_columns(shown: Arranged) -> list[list[str]]:
    return _rows(shown, list(range(len(shown.columns))), [])


def _rows(shown: Arranged, places: Sequence[int], keys: Sequence[int]) -> list[list[str]]:
    """Headings, then cells. Left out: columns without a value, keys aside, and rows without one beside keys."""
    cells = [[row[place] for place in places] for body in shown.bodies for row in body.rows]
    kept = [
        number
        for number, place in enumerate(places)
        if shown.columns[place].group == "key" or any(not row[number].empty for row in cells)
    ]
    heads = [shown.columns[places[number]] for number in kept]
    rows = [
        ["" if row[number].empty else row[number].text for number in kept]
        for row in cells
        if not keys or any(not row[number].empty for number in kept if places[number] not in keys)
    ]
    return [[_heading(head) for head in heads], *rows]


def _heading(column: Column) -> str:
    """A published or reference column stands among ours and bears the label of one."""
    words = f"{column.label} {column.unit}".strip()
    return f"{column.group} {words}" if column.group in ("published", "reference") else words


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    # Cells are written unchanged, also those that a spreadsheet would take for formulas: programs read this file and
    # join it to others by its names. CSV files for people come from `quantrift.core.page.spreadsheet`.
    text = str(frame.to_csv(index=False, float_format="%.10g", lineterminator="\n"))
    if "\r" in text:
        # Python's writer quotes cells for its own line end only, but every reader takes this one for an end too.
        text = str(frame.to_csv(index=False, float_format="%.10g", lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC))
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")
