"""Numbers that documents quote from docs/results: ``python -m tools.documents.quoted_numbers`` writes them.

A quote stands in a Markdown file between two comments, which a page does not show::

    <!-- = diverget_table4.dir tool=pso_div dataset=salinas_a % -->1.5<!-- = -->

It names a table, a column, and values of other columns that single out one row. The last word is the format: ``%`` for
percent with one decimal, ``%0`` without, ``.N`` for N decimals, ``d`` for whole numbers, ``text`` for the cell itself.
Before it may stand ``min``, ``max``, ``mean`` or ``count`` of several rows.
"""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from statistics import fmean

from tools.documents.kept_results import kept

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import replacing
from quantrift.core.page.number_format import number
from quantrift.study.planning.configuration_files import ROOT

QUOTE = re.compile(r"(<!-- = ([^>]+?) -->)([^<]*)(<!-- = -->)")
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
"""Documents that may quote; the kept tables themselves do not."""
OF_SEVERAL: Mapping[str, Callable[[Sequence[float]], float]] = {"min": min, "max": max, "mean": fmean}
Rows = Callable[[str], Sequence[Mapping[str, str]]]


@dataclass(frozen=True)
class Quote:
    """One number of a table, as a document asks for it."""

    table: str
    column: str
    where: Mapping[str, str]
    reduced: str
    """``min``, ``max``, ``mean``, ``count``, or empty for the one row."""
    form: str

    @staticmethod
    def parse(text: str) -> "Quote":
        """A quote from the words of its comment.

        Raises:
            QuantriftError: the words are no quote.
        """
        cell, *words = shlex.split(text)
        table, dot, column = cell.partition(".")
        if not dot or not words:
            raise QuantriftError(f"quote '{text}': write TABLE.COLUMN KEY=VALUE ... FORMAT")
        *where, form = words
        reduced = where.pop() if where and where[-1] in (*OF_SEVERAL, "count") else ""
        pairs = [one.partition("=") for one in where]
        if wrong := [key for key, sign, _ in pairs if not sign]:
            raise QuantriftError(f"quote '{text}': '{wrong[0]}' is no KEY=VALUE")
        return Quote(table, column, {key: value for key, _, value in pairs}, reduced, form)

    def shown(self, rows_of: Rows) -> str:
        """The number as the document shows it.

        Raises:
            QuantriftError: no row, or more than one, is meant; or the table lacks a column.
        """
        rows = rows_of(self.table)
        known = rows[0].keys() if rows else ()
        if missing := [name for name in (self.column, *self.where) if name not in known]:
            raise QuantriftError(f"quote of {self.table}: it has no column '{missing[0]}'")
        found = [row for row in rows if all(row[key] == value for key, value in self.where.items())]
        if self.reduced == "count":
            return str(len(found))
        cells = [row[self.column] for row in found if row[self.column] != ""]
        if not cells or (len(cells) > 1 and not self.reduced):
            raise QuantriftError(
                f"quote of {self.table}.{self.column}: {len(cells)} rows have "
                f"{', '.join(f'{key}={value}' for key, value in self.where.items())}; name one"
            )
        if self.form == "text":
            return cells[0]
        values = [value for cell in cells if (value := number(cell)) is not None]
        if len(values) < len(cells):
            raise QuantriftError(f"quote of {self.table}.{self.column}: '{cells[0]}' is no number; use the format text")
        return formatted(OF_SEVERAL[self.reduced](values) if self.reduced else values[0], self.form)


def formatted(value: float, form: str) -> str:
    """A number in one of the formats of a quote.

    Raises:
        QuantriftError: there is no such format.
    """
    exact = Decimal(str(value))
    if form in ("%", "%0"):
        text = f"{_rounded(100 * exact, 0 if form == '%0' else 1)}"
    elif form == "d":
        text = f"{_rounded(exact, 0):,}"
    elif re.fullmatch(r"\.\d", form):
        text = f"{_rounded(exact, int(form[1]))}"
    else:
        raise QuantriftError(f"quote: no format '{form}'; use %, %0, .N, d or text")
    return text.replace("-", "\u2212")


def _rounded(value: Decimal, decimals: int) -> Decimal:
    """Halves away from zero, as people round."""
    return value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)


def renewed(text: str, rows_of: Rows = kept) -> str:
    """A document with all its quotes as the tables have them now."""
    return QUOTE.sub(lambda found: f"{found[1]}{Quote.parse(found[2]).shown(rows_of)}{found[4]}", text)


def changed(pages: Sequence[Path] = PAGES) -> Iterator[tuple[Path, str]]:
    """Documents whose numbers are not those of the tables, with their new text."""
    for page in pages:
        old = page.read_text(encoding="utf-8")
        if (new := renewed(old)) != old:
            yield page, new


if __name__ == "__main__":
    for page, text in changed():
        with replacing(page) as temporary:
            temporary.write_text(text, encoding="utf-8")
