"""Files of a finished table: .csv for programs, .md for people, meaning and answer for pages, provenance."""

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from quantrift.core.base.errors import said_of
from quantrift.core.base.files import sha256, write_file, write_json
from quantrift.core.page import markdown
from quantrift.core.page.arrangement import Arranged, Names, arrange, records
from quantrift.core.page.made_table import detail_of
from quantrift.core.statistics.column import SCALE, Columns
from quantrift.core.statistics.statistics import holm
from quantrift.study.results.tables.answer_words import Cells, Words, grouped
from quantrift.study.results.targets import kinds
from quantrift.study.results.targets.given_files import Given


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
    """Lines above the cells, after the caption: scale, run seeds, inputs, how to read it. Empty ones are left out."""
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


def adjust(
    rows: Sequence[dict[str, Any]], *names: str, planned: Callable[[Mapping[str, Any]], bool] = lambda _: True
) -> None:
    """Add to rows ``<name>_holm``: Holm's adjustment over all p-values of these names.

    It is None where a row has no p-value or is not ``planned``.
    """
    tests = [(row, name) for row in rows for name in names]
    values = [row.get(name) if planned(row) else None for row, name in tests]
    for (row, name), p in zip(tests, holm(values), strict=True):
        row[f"{name}_holm"] = p


def family_words(tests: int, left: int) -> str:
    """End of a sentence on Holm's adjustment; ``tests``: number of adjusted tests, ``left``: number of the others."""
    if not left:
        return f"the {tests} tests of this table."
    return f"the {tests} planned tests of this table; the {left} others explore, and have no adjusted p."


def write(
    table: Table,
    title: str,
    caption: str,
    stem: Path,
    names: Names,
    files: Mapping[str, Path],
    facts: Mapping[str, Any],
    answer: Callable[[Sequence[Cells], Words], Iterable[str]] | None = None,
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
    rows = _written(table.data, stem.with_suffix(".csv"))
    own = names.with_own(table.names)
    write_json(
        stem.with_suffix(".columns.json"),
        {
            "columns": [asdict(column) for column in table.columns],
            "names": dict(table.names),
            "answer": list(answer(rows, Words(table.columns, own))) if answer else [],
        },
    )
    shown = [column for column in table.columns if column.name not in table.left_out]
    parts = _parts(arrange(rows, shown, own, divide=False))
    for name, detail in table.details.items():
        behind = _written(detail.data, detail_of(stem, name))
        if detail.columns and behind:
            arranged = arrange(behind, detail.columns, own, divide=False)
            parts[detail.heading] = _rows(arranged, range(len(arranged.columns)), [])
    if table.timing is not None:
        _written(table.timing, detail_of(stem, "timing"))
    header = list(filter(None, (caption, *table.notes)))
    write_file(stem.with_suffix(".md"), markdown.document(title, header, parts))
    write_json(
        stem.with_suffix(".provenance.json"),
        {"target": stem.name, **facts, "files": {name: sha256(path) for name, path in files.items()}},
    )


def _check(table: Table) -> None:
    """Check that every column is shown, as such or in the cells of another one."""
    if list(table.data.columns) != [column.name for column in table.columns]:
        raise ValueError("the data have other columns than those that are declared, or in another order")
    beside = {name for column in table.columns for name in (column.low, column.high, column.rests_on)}
    if hidden := {column.name for column in table.columns if column.group == "end"} - beside - {SCALE.name}:
        raise ValueError(f"{', '.join(sorted(hidden))}: stands in no cell; name it in the column that it belongs to")


def _parts(shown: Arranged) -> dict[str, list[list[str]]]:
    """The rows with all but statistics, then, with what names them, the rows that have statistics of one kind."""
    places = grouped(range(len(shown.columns)), lambda place: shown.columns[place].group == "statistics")
    keys = [place for place, column in enumerate(shown.columns) if column.group == "key"]
    of_parts = grouped(places.get(True, []), lambda place: shown.columns[place].part)
    return {
        "": _rows(shown, places.get(False, []), []),
        **{f"Statistics{part and f' of {part}'}": _rows(shown, [*keys, *own], keys) for part, own in of_parts.items()},
    }


def _rows(shown: Arranged, places: Sequence[int], keys: Sequence[int]) -> list[list[str]]:
    """Headings, then cells. Left out: columns without a value, keys aside, and rows without one beside keys."""
    every = [row for body in shown.bodies for row in body.rows]
    kept = [
        place for place in places if shown.columns[place].group == "key" or any(not row[place].empty for row in every)
    ]
    rows = [
        ["" if row[place].empty else row[place].text for place in kept]
        for row in every
        if not keys or any(not row[place].empty for place in kept if place not in keys)
    ]
    heads = (shown.columns[place] for place in kept)
    # A published or reference column stands among ours and bears the label of one.
    groups = {"published": "published ", "reference": "reference "}
    return [[f"{groups.get(one.group, '')}{one.label} {one.unit}".rstrip() for one in heads], *rows]


def _written(frame: pd.DataFrame, path: Path) -> list[dict[str, str]]:
    """Write a CSV; returns its rows as text."""
    # Cells are written unchanged, also those that a spreadsheet would take for formulas: programs read this file and
    # join it to others by its names. CSV files for people come from `quantrift.core.page.made_safe`.
    text = str(frame.to_csv(index=False, float_format="%.10g", lineterminator="\n"))
    if "\r" in text:
        # Python's writer quotes cells for its own line end only, but every reader takes this one for an end too.
        text = str(frame.to_csv(index=False, float_format="%.10g", lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC))
    write_file(path, text)
    return records(path)


def make(stated: Mapping[str, Any], given: Given, stem: Path, facts: Mapping[str, Any]) -> None:
    """Write the files of a table (``quantrift.study.results.tables.finished_table.write``).

    Args:
        stated: settings of the target.
        given: its inputs.
        stem: path without suffix, ``<results>/tables/<target>``.
        facts: entries of the provenance beside the digests of files.

    Raises:
        QuantriftError: as the kind's ``make``, after the name of the table.
    """
    kind = kinds.load(stated["kind"])
    settings = kind.Settings.model_validate(stated)
    with said_of(f"table {stem.name}"):
        table = kind.make(settings, given)
        kinds.check_details(settings, table.beside)
        answer = partial(kind.answer, settings) if hasattr(kind, "answer") else None
        names = Names.of(given.titles, given.datasets)
        write(table, settings.title, settings.caption, stem, names, given.by_name(stem.parents[1]), facts, answer)
