"""Downloads of the report: a spreadsheet shows what is in them and runs nothing."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantrift.core.page.made_safe import harmless

STARTS = "=+-@\t\r\n\uff0b\uff0d\uff1d\uff20"
CELLS = st.text(st.one_of(st.sampled_from(STARTS + ";,\"' 1a"), st.characters(exclude_categories=["Cs"])), max_size=8)


def written(rows: list[list[str]]) -> bytes:
    file = io.StringIO(newline="")
    csv.writer(file).writerows(rows)
    return file.getvalue().encode("utf-8")


def read(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode("utf-8"), newline="")))


@pytest.mark.parametrize("cell", ["=cmd|' /C calc'!A0", "+1+cmd", "-cmd()", "@SUM(A1)", "\t=1", "\r=1", "\uff1d1+1"])
def test_a_name_that_would_be_a_formula_gets_an_apostrophe(cell: str) -> None:
    [[name, heading]] = read(harmless(written([[cell, cell]])))
    assert name == heading
    assert name[0] == "'"
    assert name.replace("'", "") == cell.replace("'", "")


def test_what_begins_behind_a_semicolon_gets_one_too() -> None:
    assert read(harmless(b"tool,dir\na;=cmd(),0.5\n")) == [["tool", "dir"], ["a;'=cmd()", "0.5"]]


@pytest.mark.parametrize(
    "content",
    [
        b"tool,shift,p\nrandom,-0.25,3e-05\npso,-1e-05,-inf\nga,+5,nan\n",
        b"",
        'name\n"8-bit, \u00bdwide"\n'.encode(),
        b"tool\r\na-b\r\n",
    ],
)
def test_files_without_formulas_stay_the_same_bytes(content: bytes) -> None:
    assert harmless(content) == content


@given(st.lists(st.tuples(CELLS, CELLS).map(list), min_size=1, max_size=3))
def test_no_cell_of_any_file_begins_like_a_formula(rows: list[list[str]]) -> None:
    safe = read(harmless(written(rows)))
    assert [len(row) for row in safe] == [2] * len(rows)
    for row, before in zip(safe, rows, strict=True):
        for cell, name in zip(row, before, strict=True):
            assert cell.replace("'", "") == name.replace("'", ""), "nothing else changes"
            if cell[:1] and cell[0] in STARTS:
                float(cell)
            assert not any(f";{start}" in cell for start in STARTS)
