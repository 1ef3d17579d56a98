"""Report: one self-contained HTML page with the answers, then every table and figure.

Sections stand by work and question, with the answers of their tables and the claims that they test; a gallery has cards
of its inputs below.
"""

import base64
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from quantrift.core.base.files import write_file
from quantrift.core.page.arrangement import Arranged, Names, arrange, records
from quantrift.core.page.made_safe import harmless, inlined
from quantrift.core.page.made_table import Meaning, meaning_of
from quantrift.core.statistics.column import Column, Columns

_ASSETS = Path(__file__).parent / "assets"
READING = (
    "Rates of a tool are medians over run seeds. Published numbers come from the papers and are never used to "
    "fill ours. “Not run” marks what this scale leaves out; a dash, a value that does not exist. Statistics compare a "
    "tool with the table's baseline, run seed by run seed."
)
"""Text above the glossary on how to read the tables of the workflow."""
FOLDED = 10
"""Rows of a longer table that the screen shows at first."""
ANSWERS = 3
"""Sentences of an answer that are not folded."""
LEAST = 0.01
"""Smallest probability, of either model, with which a class is listed below a gallery."""
LISTED = 6
"""Most classes that are listed."""
MARKS = {
    "holds": "\u2713 holds",
    "holds in part": "\u2713 holds in part",
    "fails": "\u2717 fails",
    "fails in part": "\u2717 fails in part",
    "mixed": "\u00b1 mixed",
    "undecided": "? undecided",
    "not testable": "\u2013 not testable here",
    "missing": "\u2013 not run here",
}
"""Outcome of a claim -> how the page marks it."""


@dataclass(frozen=True)
class Section:
    """One target of the page."""

    id: str
    """Name of the target: lower-case letters, digits and underscores; becomes the anchor."""
    title: str
    caption: str = ""
    """Paragraph on what is shown and how it was computed."""
    source: str = ""
    """Table or figure of a paper that this one rebuilds."""
    table_csv: Path | None = None
    """Values as fractions, 0 to 1; empty cells stay visibly empty."""
    figure_svg: Path | None = None
    notes: tuple[str, ...] = ()
    """Remarks below the table or figure, a paragraph each."""
    items: tuple[str, ...] = ()
    """A list of short lines below the caption."""
    datasets: tuple[str, ...] = ()
    """Ids of the datasets behind the section, so that it can be marked as simulated."""
    columns: Columns = ()
    """Columns that the table may have; those stated beside it (``quantrift.study.results.tables.finished_table``) if
    empty."""
    work: str = ""
    """Publication that the section belongs to; the page is grouped by it where sections state one."""
    question: str = ""
    """Question that it answers; sections of a work with the same one stand below it together."""
    shown_csv: Path | None = None
    """Numbers behind the inputs that a gallery shows (``quantrift.study.results.figures.kinds.gallery``)."""


@dataclass(frozen=True)
class ClaimMark:
    """A claim of a paper and what this run found."""

    work: str
    """Publication, as sections name it."""
    place: str
    sentence: str
    target: str
    """Table that tests it."""
    outcome: str
    """One of ``MARKS``: ``missing`` where that table was not made, or has no such row."""
    why: str = ""
    """Why it does not hold, where that is known."""


@dataclass(frozen=True)
class Question:
    """A question, the sections that answer it, and their sentences."""

    text: str
    sections: list[Section] = field(default_factory=list)
    answer: list[str] = field(default_factory=list)
    claims: list[ClaimMark] = field(default_factory=list)


@dataclass(frozen=True)
class Work:
    """A publication: its questions in the order of their first sections, and the claims that no section tests."""

    title: str
    questions: dict[str, Question] = field(default_factory=dict)
    """Its words, or the id of the only section of one without words -> the question."""
    untested: list[ClaimMark] = field(default_factory=list)


def render(
    title: str,
    scale: str,
    intro: Sequence[str],
    sections: Sequence[Section],
    provenance: Mapping[str, Any],
    out: Path,
    *,
    names: Names | None = None,
    lead: str = "",
    verdict: str = "",
    picture: Path | None = None,
    chip: str | None = None,
    reading: str = READING,
    claims: Sequence[ClaimMark] = (),
    steps: Mapping[str, str] | None = None,
) -> None:
    """Write the page to ``out``.

    Args:
        title: heading of the page.
        scale: name of the configuration the results were made at; stands in the header.
        intro: paragraphs of plain text above the first section.
        sections: tables and figures, in order.
        provenance: as ``quantrift.core.page.provenance.collect`` gives it; shown folded at the end.
        out: the HTML file; equal inputs give equal bytes.
        names: display names; a banner names the datasets that are simulated, and their rows and sections are marked.
        lead: sentences that stand out above everything else, a line each.
        verdict: pass, fail or inconclusive; stands above these sentences, in a colour of its own.
        picture: SVG that stands below them.
        chip: word in the header in place of the scale.
        reading: how the tables are read, above the glossary.
        claims: of the papers, with what this run found; they stand beside the answers of the tables that test them.
        steps: what readers may do next -> command for it; a section near the end.

    Raises:
        QuantriftError: a CSV or SVG cannot be read.
    """
    names = names or Names()
    meanings = {s.id: Meaning(s.columns, {}) if s.columns else meaning_of(s.table_csv) for s in sections if s.table_csv}
    tables = {s.id: _read(s.table_csv, meanings[s.id], names) for s in sections if s.table_csv}
    works = grouped(sections, {name: meaning.answer for name, meaning in meanings.items()}, claims)
    figures = {s.id: inlined(s.figure_svg, f"f-{number}", s.title) for number, s in enumerate(sections) if s.figure_svg}
    environment = Environment(
        loader=FileSystemLoader(_ASSETS),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    text = environment.get_template("page.html.j2").render(
        title=title,
        chip=f"{scale} scale" if chip is None else chip,
        lead=lead,
        verdict=verdict,
        picture=picture and inlined(picture, "f-lead", "a disagreement"),
        reading=reading,
        intro=intro,
        works=works,
        grouped=any(work.title for work in works),
        marks=MARKS,
        told=Counter(claim.outcome for claim in claims),
        folded=FOLDED,
        answers=ANSWERS,
        tables=tables,
        figures=figures,
        cards={s.id: own for s in sections if s.shown_csv and (own := list(cards(s.shown_csv)))},
        # A statistic of several quantities stands there once.
        glossary=sorted(
            {(one.label, _of_any(one)) for shown in tables.values() for one in shown.columns if one.meaning}
        ),
        simulated=sorted(names.titles.get(name, name) for name in names.simulated),
        partly={s.id: names.simulated & set(s.datasets) for s in sections},
        steps=steps,
        provenance=provenance,
        # Files for spreadsheets, so that the page can hand them out without a request.
        files={
            s.id: base64.b64encode(harmless(s.table_csv.read_bytes())).decode("ascii") for s in sections if s.table_csv
        },
        parts=max((len(shown.parts) for shown in tables.values()), default=0),
        style=(_ASSETS / "page.css").read_text(encoding="utf-8"),
        script=(_ASSETS / "page.js").read_text(encoding="utf-8"),
    )
    write_file(out, text)


def _read(path: Path, meaning: Meaning, names: Names) -> Arranged:
    """The table of a CSV with the columns that it has."""
    rows = records(path)
    return arrange(
        rows,
        [column for column in meaning.columns if not rows or column.name in rows[0]],
        names.with_own(meaning.names),
    )


def _of_any(column: Column) -> str:
    """The meaning of a column, without the quantity that it is a statistic of."""
    own = column.meaning.removeprefix(f"{column.part}: ") if column.part else column.meaning
    return own[:1].upper() + own[1:]


def grouped(
    sections: Sequence[Section], answers: Mapping[str, Sequence[str]], claims: Sequence[ClaimMark]
) -> list[Work]:
    """Works in the order of their first sections; those with claims alone follow.

    Args:
        sections: of the page, in order.
        answers: id of a section -> sentences of its table.
        claims: of all works.
    """
    works: dict[str, Work] = {}
    for section in sections:
        work = works.setdefault(section.work, Work(section.work))
        # Without a question, a section stands by itself.
        question = work.questions.setdefault(section.question or section.id, Question(section.question))
        question.sections.append(section)
        question.answer.extend(answers.get(section.id, ()))
        question.claims.extend(claim for claim in claims if claim.target == section.id)
    shown = {section.id for section in sections}
    for claim in claims:
        if claim.target not in shown:
            works.setdefault(claim.work, Work(claim.work)).untested.append(claim)
    return list(works.values())


def marks(stated: Mapping[str, Mapping[str, Any]], table: Path, works: Mapping[str, str]) -> list[ClaimMark]:
    """The claims that settings state, with the outcomes in the finished table of claims.

    Args:
        stated: name of a claim -> its settings.
        table: CSV of the table of claims.
        works: target -> publication, as sections name it.

    Raises:
        QuantriftError: if the table cannot be read.
    """
    found = {row["claim"]: row for row in records(table)}
    missing = {"outcome": "missing", "why": ""}
    return [
        ClaimMark(
            works.get(claim["target"], claim["work"]),
            **{key: claim[key] for key in ("place", "sentence", "target")},
            **{key: found.get(name, missing)[key] for key in missing},
        )
        for name, claim in stated.items()
    ]


def cards(path: Path) -> Iterator[dict[str, Any]]:
    """What the page says of each input of a gallery: distortions in words, both models, the command that replays it.

    Args:
        path: the table beside the gallery (``quantrift.study.results.figures.kinds.gallery``).

    Yields:
        A row of each input in the table's order, with ``classes`` beside: those that either model finds likely, the
        likeliest first, with a ``name``, probabilities in percent.

    Raises:
        QuantriftError: if it cannot be read.
    """
    for _, group in groupby(records(path), lambda row: row["shown"]):
        rows = list(group)
        values = [(row["class"], float(row["p_original"]), float(row["p_compressed"])) for row in rows]
        likely = sorted((one for one in values if max(one[1:]) >= LEAST), key=lambda one: -max(one[1:]))[:LISTED]
        yield rows[0] | {
            "classes": [
                {
                    "name": name,
                    "original": f"{100 * original:.1f}",
                    "compressed": f"{100 * compressed:.1f}",
                }
                for name, original, compressed in likely
            ]
        }
