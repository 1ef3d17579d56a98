"""The heat map of findings has the verdict of each cell, as a letter too."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.factories import made_tables, targets

from quantrift.core.base.errors import QuantriftError
from quantrift.study.results.figures.kinds.cell_verdicts import VERDICTS
from quantrift.study.results.tables.finished_table import Detail
from quantrift.study.results.tables.kinds.findings import COLUMNS

TITLES = {"city": "Pavia University", "fields": "Salinas", "ssrn": "SSRN", "ptq_int8": "8-bit"}
NAMES = {"h": "search finds more", "dir": "DiR", "sr": "SR"}


def cell(dataset: str, verdict: str, metric: str = "dir", **more: Any) -> dict[str, Any]:
    keys = {"finding": 2, "hypothesis": "h", "metric": metric, "dataset": dataset, "model": "ssrn"}
    return keys | {"compression": "ptq_int8", "larger": 0.5, "smaller": 0.1, "verdict": verdict, "control": "", **more}


def made(folder: Path, *rows: dict[str, Any]) -> Any:
    details = {"cells": Detail("", pd.DataFrame(rows))}
    table = made_tables.written(folder, "findings", COLUMNS, [], names=NAMES, details=details)
    given = made_tables.given({"findings": table}, TITLES, "findings")
    return given, made_tables.figure(given, kind="cell_verdicts", findings="findings")


def letters(figure: Any) -> dict[tuple[float, float], str]:
    """Column and row -> letter."""
    return {text.get_position(): text.get_text() for text in figure.axes[0].texts if len(text.get_text()) < 3}


def test_each_cell_has_its_letter_and_colour_in_the_row_of_its_metric(tmp_path: Path) -> None:
    cells = [
        cell("city", "for"),
        cell("fields", "against"),
        cell("city", "undecided", "sr"),
        cell("fields", "undecided", "sr", larger=None),
    ]
    _, figure = made(tmp_path, *cells)
    # The hypothesis has the first place.
    assert letters(figure) == {(0, 1): "H", (1, 1): "F", (0, 2): "U", (1, 2): "\u2013"}
    axis = figure.axes[0]
    assert [tick.get_text() for tick in axis.get_yticklabels()] == ["DiR", "SR"]
    assert [tick.get_text() for tick in axis.get_xticklabels()][1] == "Salinas\nSSRN\n8-bit"
    assert "Finding 2: search finds more" in [text.get_text() for text in axis.texts]
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert words == ["H holds", "U undecided", "F fails", "\u2013 not run"]


def test_letters_and_colours_of_verdicts_differ() -> None:
    assert len({letter for letter, *_ in VERDICTS.values()}) == len({colour for *_, colour in VERDICTS.values()}) == 3


def test_a_control_that_does_not_hold_is_a_star_and_several_cells_share_a_place(tmp_path: Path) -> None:
    _, figure = made(tmp_path, cell("city", "for", control="vanishes"), cell("city", "against"))
    assert letters(figure) == {(-0.25, 1): "H*", (0.25, 1): "F"}


def test_a_subject_without_a_cell_stays_empty_and_the_file_is_the_same_twice(tmp_path: Path) -> None:
    given, figure = made(tmp_path, cell("city", "for"), cell("fields", "for", "sr"))
    assert letters(figure) == {(0, 1): "H", (1, 2): "H"}
    saved = []
    for _ in range(2):
        stem = targets.figure(tmp_path, given, kind="cell_verdicts", findings="findings")
        saved.append(stem.with_suffix(".svg").read_bytes())
    assert saved[0] == saved[1]


def test_a_table_without_its_cells_is_named(tmp_path: Path) -> None:
    given, _ = made(tmp_path, cell("city", "for"))
    (tmp_path / "tables" / "findings.cells.csv").unlink()
    with pytest.raises(QuantriftError, match=r"cannot read .*findings\.cells\.csv: .*; make its target first"):
        made_tables.figure(given, kind="cell_verdicts", findings="findings")
