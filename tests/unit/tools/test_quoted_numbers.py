"""Numbers in documents are those of the kept tables, and a quote that names no single number is refused."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from tools.documents.quoted_numbers import PAGES, Quote, formatted, renewed

from quantrift.core.base.errors import QuantriftError

ROWS = [
    {"tool": "pso", "dataset": "a", "dir": "0.0149", "n": "1200", "verdict": "holds"},
    {"tool": "ga", "dataset": "a", "dir": "-0.25", "n": "7", "verdict": "fails"},
    {"tool": "ga", "dataset": "b", "dir": "", "n": "9", "verdict": "fails"},
]


def rows_of(table: str) -> Sequence[Mapping[str, str]]:
    return {"t": ROWS}[table]


def test_a_quote_shows_the_number_of_its_row() -> None:
    text = "PSO: <!-- = t.dir tool=pso % -->{}<!-- = --> %, GA: <!-- = t.dir tool=ga dataset=a .2 -->{}<!-- = -->."
    assert renewed(text.format(0, 0), rows_of) == text.format("1.5", "\u22120.25")


def test_renewing_twice_changes_nothing() -> None:
    once = renewed("<!-- = t.n tool=pso d --><!-- = -->", rows_of)
    assert once == "<!-- = t.n tool=pso d -->1,200<!-- = -->" == renewed(once, rows_of)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("t.n min d", "7"),
        ("t.n max d", "1,200"),
        ("t.n tool=ga mean .1", "8.0"),
        ("t.dir tool=ga count d", "2"),
        ("t.verdict tool=pso text", "holds"),
        ("t.dir tool=pso %0", "1"),
    ],
)
def test_several_rows_are_reduced_and_words_are_shown_as_they_are(words: str, shown: str) -> None:
    assert Quote.parse(words).shown(rows_of) == shown


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("t.dir %", "2 rows have"),
        ("t.dir tool=none %", "0 rows have"),
        ("t.dir tool=ga dataset=b %", "0 rows have"),
        ("t.nothing tool=pso %", "no column 'nothing'"),
        ("t.dir tol=pso %", "no column 'tol'"),
        ("t.verdict tool=pso %", "'holds' is no number"),
        ("t.dir tool=pso percent", "no format 'percent'"),
        ("t.dir pso %", "'pso' is no KEY=VALUE"),
        ("dir %", "write TABLE.COLUMN"),
    ],
)
def test_a_quote_that_names_no_single_number_is_refused(words: str, reason: str) -> None:
    with pytest.raises(QuantriftError, match=reason):
        Quote.parse(words).shown(rows_of)


def test_halves_are_rounded_away_from_zero() -> None:
    assert (formatted(0.1125, "%"), formatted(2.5, "d"), formatted(-0.25, ".1")) == ("11.3", "3", "\u22120.3")


def test_a_negative_number_has_a_minus_sign() -> None:
    assert formatted(-0.5, "%0") == "\u221250"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_documents_have_the_numbers_of_the_kept_run(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert renewed(text) == text, "run make numbers"
