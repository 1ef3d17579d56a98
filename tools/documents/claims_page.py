"""Outcomes of the claims in the kept run, for docs/reproduced.md: ``python -m tools.documents.claims_page``."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from tools.documents.kept_results import kept
from tools.documents.marked_section import Section

from quantrift.core.page.markdown import inline
from quantrift.study.planning.configuration_files import ROOT

REPRODUCED = Section(ROOT / "docs" / "reproduced.md", "<!-- make numbers writes claims from here -->")
COUNTED = ("holds", "fails", "undecided")
Row = Mapping[str, str]


def part(claims: Sequence[Row], cells: Sequence[Row]) -> str:
    """A table for each work: the claim, published and measured numbers, its outcome, and why it does not hold.

    Args:
        claims: rows of the table ``claims``.
        cells: rows behind it, ``claims.cells``; the first one of each claim is shown.
    """
    first: dict[str, str] = {}
    for cell in cells:
        first.setdefault(cell["claim"], f"{cell['cell']}: {cell['values']}" if cell["cell"] else cell["values"])
    lines: list[str] = []
    for work, rows in groupby(claims, lambda row: row["work"]):
        lines += [
            "",
            f"**{work}**",
            "",
            "| claim | published | outcome | cells: holds, fails, undecided | first cell |",
        ]
        lines += ["|---|---|---|---|---|", *_lines(rows, first)]
    return "\n".join(lines)


def _lines(rows: Iterator[Row], first: Mapping[str, str]) -> Iterator[str]:
    for row in rows:
        why = f" *{inline(row['why'])}*" if row["why"] else ""
        outcome = f"**{row['outcome']}**" if row["outcome"] == "fails" else row["outcome"]
        counts = ", ".join(row[f"cells_{name}"] for name in COUNTED)
        claim = f"{inline(row['sentence'])} ({inline(row['place'])}){why}"
        yield f"| {claim} | {inline(row['published'])} | {outcome} | {counts} | {inline(first.get(row['claim'], ''))} |"


if __name__ == "__main__":
    REPRODUCED.write(part(kept("claims"), kept("claims.cells")))
