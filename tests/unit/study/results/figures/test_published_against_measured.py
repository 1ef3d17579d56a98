"""Published numbers stand at the published column, ours at ours, each in its row."""

from pathlib import Path
from typing import Any

import pytest
from tests.factories import made_tables, targets
from tests.factories.made_tables import intervals, marks

from quantrift.core.base.errors import QuantriftError
from quantrift.core.statistics.column import SCALE, Column, key, published, with_interval

KEYS = (key("dataset", "Dataset"), key("tool", "Tool"), key("against", "Against"))
SR = with_interval(Column("sr", "SR", "fraction"))
QUERIES = Column("queries", "Queries", "number")
COLUMNS = (*KEYS, *SR, QUERIES, published(SR[0]), published(QUERIES), SCALE)
TITLES = {"city": "Pavia University", "ours": "Our tool", "theirs": "Their tool"}


def row(tool: str, sr: float | None, sr_published: float | None, **more: Any) -> dict[str, Any]:
    """A row; its interval reaches a point to either side."""
    ends = {} if sr is None else {"sr_low": sr - 0.01, "sr_high": sr + 0.01}
    return {"dataset": "city", "tool": tool, "sr": sr, "published_sr": sr_published, **ends, **more}


def made(folder: Path, *rows: dict[str, Any], **stated: Any) -> Any:
    given = made_tables.given({"rates": made_tables.written(folder, "rates", COLUMNS, rows)}, TITLES)
    return made_tables.figure(given, **{"kind": "published_against_measured", "tables": ["rates"], **stated})


def test_marks_stand_at_the_numbers_of_the_two_columns(tmp_path: Path) -> None:
    figure = made(tmp_path, row("ours", 0.2, 0.25), row("theirs", 0.4, 0.3, queries=100, published_queries=3000))
    rates, queries = figure.axes
    assert marks(rates) == {
        "measured here": [pytest.approx([20, 1]), pytest.approx([40, 2])],
        "published": [pytest.approx([25, 1]), pytest.approx([30, 2])],
    }
    assert intervals(rates) == [pytest.approx([19, 21, 1]), pytest.approx([39, 41, 2])]
    assert marks(queries) == {"measured here": [[100, 2]], "published": [[3000, 2]]}
    assert (rates.get_xscale(), queries.get_xscale()) == ("linear", "log")
    assert rates.get_xlabel() == "SR (%)"


def test_rows_that_were_not_run_or_not_published_draw_nothing_and_are_counted(tmp_path: Path) -> None:
    figure = made(tmp_path, row("ours", 0.2, 0.25), row("theirs", None, 0.9), row("third", 0.3, None))
    assert [tick.get_text() for tick in figure.axes[0].get_yticklabels()] == ["Our tool"]
    assert marks(figure.axes[0])["published"] == [[25, 1]]
    assert "1 row not run; 1 row without a published number" in figure.get_suptitle()


def test_a_tool_that_is_compared_with_several_has_one_row(tmp_path: Path) -> None:
    rows = [row("ours", 0.2, 0.25, against=other) for other in ("theirs", "third")]
    assert [tick.get_text() for tick in made(tmp_path, *rows).axes[0].get_yticklabels()] == ["Our tool"]


def test_columns_can_be_chosen_and_one_without_published_numbers_is_refused(tmp_path: Path) -> None:
    both = row("ours", 0.2, 0.25, queries=10, published_queries=20)
    assert [axis.get_xlabel() for axis in made(tmp_path, both, columns=["queries"]).axes] == ["Queries"]
    with pytest.raises(QuantriftError, match="no published numbers stand beside 'sr_low'"):
        made(tmp_path, both, columns=["sr_low"])


def test_a_table_without_published_numbers_gives_words_and_equal_tables_equal_files(tmp_path: Path) -> None:
    figure = made(tmp_path, row("ours", 0.2, None))
    assert "No row that was run has a published number." in [text.get_text() for text in figure.texts]
    given = made_tables.given(
        {"rates": made_tables.written(tmp_path, "rates", COLUMNS, [row("ours", 0.2, 0.3)])}, TITLES
    )
    saved = []
    for _ in range(2):
        stem = targets.figure(tmp_path, given, kind="published_against_measured", tables=["rates"])
        saved.append(stem.with_suffix(".svg").read_bytes())
    assert saved[0] == saved[1]
