"""Grouping of a page by work and question, with the answers of tables and the claims that they test."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from quantrift.core.page.arrangement import records

Outcome = Literal["holds", "fails", "undecided", "missing"]
MARKS: Mapping[Outcome, str] = {
    "holds": "\u2713 holds",
    "fails": "\u2717 fails",
    "undecided": "? undecided",
    "missing": "\u2013 not run here",
}
"""Outcome -> how the page marks it."""


class Grouped(Protocol):
    """A section of the page, as far as grouping needs it."""

    @property
    def id(self) -> str:
        """Name of the target."""

    @property
    def work(self) -> str:
        """Publication that it belongs to; empty where pages have no such groups."""

    @property
    def question(self) -> str:
        """Question that it answers, or nothing."""


@dataclass(frozen=True)
class ClaimMark:
    """A claim of a paper and what this run found."""

    work: str
    """Publication, as sections name it."""
    place: str
    sentence: str
    target: str
    """Table that tests it."""
    outcome: Outcome
    """``missing`` where that table was not made, or has no such row."""
    why: str = ""
    """Why it does not hold, where that is known."""

    @property
    def mark(self) -> str:
        """The outcome in words, with a sign."""
        return MARKS[self.outcome]


@dataclass(frozen=True)
class Question:
    """A question, the sections that answer it, and their sentences."""

    text: str
    sections: list[Any] = field(default_factory=list)
    answer: list[str] = field(default_factory=list)
    claims: list[ClaimMark] = field(default_factory=list)


@dataclass(frozen=True)
class Work:
    """A publication: its questions in the order of their first sections, and the claims that no section tests."""

    title: str
    questions: list[Question] = field(default_factory=list)
    untested: list[ClaimMark] = field(default_factory=list)


def grouped(
    sections: Iterable[Grouped], answers: Mapping[str, Sequence[str]], claims: Sequence[ClaimMark]
) -> list[Work]:
    """Works in the order of their first sections; those with claims alone follow.

    Args:
        sections: of the page, in order.
        answers: id of a section -> sentences of its table.
        claims: of all works.
    """
    works: dict[str, Work] = {}
    questions: dict[tuple[str, str], Question] = {}
    for section in sections:
        work = works.setdefault(section.work, Work(section.work))
        # Without a question, a section stands by itself.
        key = (section.work, section.question or section.id)
        if key not in questions:
            questions[key] = Question(section.question)
            work.questions.append(questions[key])
        question = questions[key]
        question.sections.append(section)
        question.answer.extend(answers.get(section.id, ()))
        question.claims.extend(claim for claim in claims if claim.target == section.id)
    shown = {claim.target for question in questions.values() for claim in question.claims}
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
    return [
        ClaimMark(
            works.get(claim["target"], claim["work"]),
            claim["place"],
            claim["sentence"],
            claim["target"],
            found[name]["outcome"] if name in found else "missing",  # type: ignore[arg-type]
            found[name]["why"] if name in found else "",
        )
        for name, claim in stated.items()
    ]
