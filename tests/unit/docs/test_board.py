"""Every kept row of the board is one: of the stated form, with digests, and a reason for what is unknown."""

import json
from pathlib import Path

import jsonschema
import pytest
from tests.factories.places import ROOT
from tools.documents import board_page

from quantrift.study.board.row import NOT_RUN, ROW, read

ROWS = sorted((ROOT / "docs/measured/board").glob(f"*/{ROW}"))
SCHEMA = json.loads((ROOT / "workflow/schemas/board.json").read_text())


@pytest.mark.parametrize("path", ROWS, ids=lambda path: path.parent.name)
def test_a_row_has_the_stated_form_and_says_where_it_comes_from(path: Path) -> None:
    jsonschema.validate(json.loads(path.read_text()), SCHEMA)
    row = read(path.parent)
    assert row.pair == path.parent.name
    assert row.source
    assert {"original", "compressed"} <= {*row.sha256}
    assert all(len(bytes.fromhex(digest)) == 32 for digest in row.sha256.values())
    rates = ("disagreement", "drop", "changed", "searched", "foretold", "certified")
    unknown = {name for name in rates if getattr(row, name).value is None}
    assert row.verdict == NOT_RUN or unknown <= {*row.reasons}
    for rate in (getattr(row, name) for name in rates):
        assert rate.low is None or rate.low <= rate.value <= rate.high


def test_the_page_has_a_line_for_each_row_and_each_reason() -> None:
    rows, text = board_page.rows(), board_page.text()
    assert len(rows) == len(ROWS)
    board, reasons = (part for part in text.split("\n\n") if part.startswith("|"))
    assert board.count("\n") == 1 + len(rows)
    assert reasons.count("\n") == 1 + sum(len(row.reasons) for row in rows)
