"""Writes a table in every form readers need: .csv for machines, .md and .html for people, times apart."""

import csv
import hashlib
import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from quantrift.config.files import replacing, write_json
from quantrift.tables import markdown


@dataclass(frozen=True)
class View:
    """What people see of a table: text cells, an empty one meaning not run or not defined."""

    heading: str
    cells: pd.DataFrame
    """All of type str; column names are headings. A heading that starts with "published" marks published numbers."""

    @staticmethod
    def of(heading: str, columns: Mapping[str, Iterable[str]]) -> "View":
        """A view given column by column."""
        return View(heading, pd.DataFrame({name: list(cells) for name, cells in columns.items()}))


@dataclass(frozen=True)
class Table:
    """A finished table."""

    title: str
    header: Sequence[str]
    """Lines above the cells: scale, run seeds, inputs, how to read it."""
    data: pd.DataFrame
    """Numbers for machines: fractions 0..1, no text formatting, no times."""
    views: Sequence[View]
    timing: pd.DataFrame | None = None
    """Whatever is measured by the clock."""
    details: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    """Name -> numbers for machines that lie behind the table, in a file of their own."""
    files: Mapping[str, Path] = field(default_factory=dict)
    """Name -> file the table was made from, whose digest goes into the provenance."""


def write(table: Table, stem: Path, provenance: Mapping[str, Any]) -> None:
    """Write ``<stem>.csv``, ``.md``, ``.html`` (a fragment), ``.provenance.json`` and, with times, ``.timing.csv``.

    Details go to ``<stem>.<name>.csv``.

    Args:
        table: what to write.
        stem: path without suffix; its name is the target's.
        provenance: values stated beside the digests of ``table.files``.
    """
    _write_csv(table.data, stem.with_name(f"{stem.name}.csv"))
    for name, frame in table.details.items():
        _write_csv(frame, stem.with_name(f"{stem.name}.{name}.csv"))
    if table.timing is not None:
        _write_csv(table.timing, stem.with_name(f"{stem.name}.timing.csv"))
    for suffix, text in ((".md", _markdown(table)), (".html", _html(table, stem.name))):
        with replacing(stem.with_name(stem.name + suffix)) as temporary:
            temporary.write_text(text, encoding="utf-8")
    digests = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in table.files.items()}
    stated = {"target": stem.name, **provenance, "files": digests}
    write_json(stem.with_name(f"{stem.name}.provenance.json"), stated)


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    # Cells are written as they are, also those that a spreadsheet would take for formulas: programs read this file,
    # and join it to others by its names. What is handed to people as CSV is `quantrift.report.spreadsheet`'s.
    text = str(frame.to_csv(index=False, float_format="%.10g", lineterminator="\n"))
    if "\r" in text:
        # Python's writer quotes cells for its own line end only, but every reader takes this one for an end too.
        text = str(frame.to_csv(index=False, float_format="%.10g", lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC))
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")


def _markdown(table: Table) -> str:
    lines = [f"# {markdown.inline(table.title)}", ""]
    for stated in table.header:
        lines += [markdown.line(stated), ""]
    for view in table.views:
        lines += [f"## {markdown.inline(view.heading)}", ""]
        lines.append(markdown.row([str(name) for name in view.cells.columns]))
        lines.append("|" + "---|" * len(view.cells.columns))
        lines += [markdown.row(row) for row in view.cells.itertuples(index=False, name=None)]
        lines.append("")
    return "\n".join(lines[:-1]) + "\n"


def _html(table: Table, name: str) -> str:
    lines = [f'<section class="table" id="{html.escape(name)}">', f"<h2>{html.escape(table.title)}</h2>"]
    lines += [f"<p>{html.escape(line)}</p>" for line in table.header]
    for view in table.views:
        columns = [str(column) for column in view.cells.columns]
        classes = [' class="published"' if column.lower().startswith("published") else "" for column in columns]
        lines += ["<table>", f"<caption>{html.escape(view.heading)}</caption>", "<thead><tr>"]
        lines += [
            f'<th scope="col"{kind}>{html.escape(column)}</th>' for column, kind in zip(columns, classes, strict=True)
        ]
        lines += ["</tr></thead>", "<tbody>"]
        for row in view.cells.itertuples(index=False, name=None):
            cells = (f"<td{kind}>{html.escape(cell)}</td>" for cell, kind in zip(row, classes, strict=True))
            lines.append(f"<tr>{''.join(cells)}</tr>")
        lines += ["</tbody>", "</table>"]
    lines.append("</section>")
    return "\n".join(lines) + "\n"
