"""Every table that a test here makes is held to its answer: no number in it that the table does not have."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.factories import as_written

from quantrift.core.page.arrangement import Names, records
from quantrift.core.page.made_table import meaning_of
from quantrift.core.page.number_format import number
from quantrift.core.statistics.column import Columns
from quantrift.study.results.tables import finished_table
from quantrift.study.results.tables.finished_table import write

NUMBER = re.compile(r"(?<![\w.])[\u2212+]?\d[\d\u202f]*(?:\.\d+)?(?:e[-+\u2212]\d+)?")


def spoken(sentence: str, named: Sequence[str]) -> list[str]:
    """The numbers of a sentence; those in names are none."""
    for name in sorted(filter(None, named), key=len, reverse=True):
        sentence = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "", sentence)
    return NUMBER.findall(re.sub("in 8 bits", "", sentence))


def equals(text: str, value: float, scale: float) -> bool:
    """Whether a number as it is spoken is a value, rounded to the digits that are spoken."""
    plain = text.replace("\u2212", "-").replace("\u202f", "")
    digits = len(plain.partition("e")[0].partition(".")[2])
    half = 0.5000001 * 10.0 ** (int(plain.partition("e")[2] or 0) - digits)
    return abs(float(plain) - scale * value) <= half


def unknown(answer: Sequence[str], rows: Sequence[Mapping[str, str]], columns: Columns, names: Names) -> list[str]:
    """Numbers of an answer that are neither a cell of the table nor a number of its rows."""
    words = [cell for row in rows for cell in row.values() if number(cell) is None]
    named = [*words, *names.titles.values(), *names.titles, *(column.label for column in columns)]
    cells = [
        (value, 100.0 if column.kind in ("fraction", "points") else 1.0)
        for row in rows
        for column in columns
        if (value := number(row[column.name])) is not None
    ]
    return [
        f"{text} in: {sentence}"
        for sentence in answer
        for text in spoken(sentence, [name.replace("_", " ") for name in named] + named)
        if not any(equals(text, value, scale) for value, scale in cells)
        and not (text.isdigit() and int(text) <= len(rows))
    ]


@pytest.fixture(autouse=True)
def answers_say_what_their_tables_say(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sentences of all tables that the test made."""
    told: list[str] = []

    def checked(table: Any, title: str, caption: str, stem: Path, names: Names, *more: Any) -> None:
        write(table, title, caption, stem, names, *more)
        meaning = meaning_of(stem.with_name(f"{stem.name}.csv"))
        own = names.with_own(meaning.names)
        assert unknown(meaning.answer, records(stem.with_name(f"{stem.name}.csv")), meaning.columns, own) == []
        told.extend(meaning.answer)
        as_written.check_table(stem, meaning.answer)

    monkeypatch.setattr(finished_table, "write", checked)
    return told
