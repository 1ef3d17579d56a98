"""Forest plots show the numbers of finished tables, and nothing of rows that were not run."""

import math
from pathlib import Path
from typing import Any

import pytest
from tests.factories import made_tables, targets
from tests.factories.made_tables import intervals, marks

from quantrift.core.base.errors import QuantriftError
from quantrift.core.statistics.column import SCALE, Column, key, with_interval
from quantrift.core.statistics.statistics import columns as statistics

KEYS = (key("dataset", "Dataset"), key("tool", "Tool"))
DIR = Column("dir", "DiR", "fraction")
COLUMNS = (*KEYS, DIR, *statistics("DiR"), SCALE)
ODDS = with_interval(Column("odds_ratio", "Odds ratio", no_effect=1))
TITLES = {"city": "Pavia University", "ours": "Our tool", "theirs": "Their tool"}


def row(tool: str, shift: float | None, p: float | None = None, **more: Any) -> dict[str, Any]:
    """A row that was run; its interval reaches a point to either side."""
    ends = {} if shift is None else {"shift_low": shift - 0.01, "shift_high": shift + 0.01}
    return {"dataset": "city", "tool": tool, "dir": 0.5, "shift": shift, "p_holm": p, **ends, **more}


def made(folder: Path, *rows: dict[str, Any], columns: Any = COLUMNS, **stated: Any) -> Any:
    path = made_tables.written(folder, "compared", columns, rows)
    given = made_tables.given({"compared": path}, TITLES)
    return made_tables.figure(given, **{"kind": "forest", "tables": ["compared"], **stated})


def test_marks_and_intervals_stand_at_the_numbers_of_the_table(tmp_path: Path) -> None:
    axis = made(tmp_path, row("ours", 0.2, 0.01), row("theirs", -0.1, 0.3)).axes[0]
    found = marks(axis)
    # The heading has the first place.
    assert found["significant at 5 %, adjusted"] == [pytest.approx([20, 1])]
    assert found["not significant"] == [pytest.approx([-10, 2])]
    assert intervals(axis) == [pytest.approx([19, 21, 1]), pytest.approx([-11, -9, 2])]
    assert axis.get_xscale() == "linear"
    assert axis.get_xlabel() == "DiR: shift (pp)"


def test_rows_and_headings_bear_titles_and_ids_without_one_are_words(tmp_path: Path) -> None:
    figure = made(tmp_path, row("ours", 0.2), row("no_title", 0.2))
    assert [tick.get_text() for tick in figure.axes[0].get_yticklabels()] == ["Our tool", "no title"]
    assert "Pavia University" in [text.get_text() for text in figure.axes[0].texts]


def test_rows_that_were_not_run_draw_nothing_and_are_counted(tmp_path: Path) -> None:
    absent = row("theirs", None) | {"dir": None}
    figure = made(tmp_path, row("ours", 0.2, 0.01), absent, row("baseline", None))
    assert [tick.get_text() for tick in figure.axes[0].get_yticklabels()] == ["Our tool"]
    assert "scale: demo; 1 row not run; 1 row without an effect" in figure.get_suptitle()


def test_a_value_without_interval_or_test_is_a_mark_alone(tmp_path: Path) -> None:
    axis = made(tmp_path, row("ours", 0.2, a12=0.75), effects=["a12"]).axes[0]
    assert marks(axis)["no adjusted p"] == [pytest.approx([0.75, 1])]
    assert intervals(axis) == []


def test_a_ratio_has_a_logarithmic_axis_with_a_line_at_one(tmp_path: Path) -> None:
    columns = (*KEYS, *ODDS, SCALE)
    rows = [
        {"dataset": "city", "tool": "ours", "odds_ratio": 4, "odds_ratio_low": 2, "odds_ratio_high": math.inf},
        {"dataset": "city", "tool": "theirs", "odds_ratio": 0.5, "odds_ratio_low": 0, "odds_ratio_high": 3},
    ]
    axis = made(tmp_path, *rows, columns=columns).axes[0]
    assert axis.get_xscale() == "log"
    dashed = [line for line in axis.lines if line.get_linestyle() == "--"]
    assert [list(line.get_xdata()) for line in dashed] == [[1, 1]]
    low, high = axis.get_xlim()
    assert marks(axis)["95 % interval beside the line"] == [[4, 1]]
    assert marks(axis)["95 % interval across the line"] == [[0.5, 2]]
    assert marks(axis)["beyond, 95 % interval beside the line"] == [pytest.approx([high, 1])]
    assert marks(axis)["beyond, 95 % interval across the line"] == [pytest.approx([low, 2])]


def test_only_the_rows_and_effects_that_are_named_are_shown(tmp_path: Path) -> None:
    figure = made(tmp_path, row("ours", 0.2, a12=0.7), row("theirs", 0.1), only={"tool": ["ours"]}, effects=["a12"])
    assert [axis.get_xlabel() for axis in figure.axes] == ["DiR: A12"]
    assert [tick.get_text() for tick in figure.axes[0].get_yticklabels()] == ["Our tool"]


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"effects": ["dir"]}, "effects: 'dir' is no effect size of these tables"),
        ({"only": {"tol": ["ours"]}}, "only: 'tol' is no key of the table; did you mean 'tool'?"),
    ],
)
def test_a_column_of_another_kind_is_refused(tmp_path: Path, stated: dict[str, Any], message: str) -> None:
    with pytest.raises(QuantriftError, match=message.replace("?", r"\?")):
        made(tmp_path, row("ours", 0.2), **stated)


def test_a_table_without_its_declaration_is_named(tmp_path: Path) -> None:
    path = made_tables.written(tmp_path, "compared", COLUMNS, [row("ours", 0.2)])
    path.with_suffix(".columns.json").unlink()
    with pytest.raises(QuantriftError, match=r"cannot read .*compared\.columns\.json"):
        made_tables.figure(made_tables.given({"compared": path}, TITLES), kind="forest", tables=["compared"])


def test_a_table_that_ran_nothing_gives_a_figure_in_words(tmp_path: Path) -> None:
    figure = made(tmp_path, row("ours", None) | {"dir": None})
    assert [text.get_text() for text in figure.texts] == ["A title", "No row of the tables has an effect."]


def test_several_tables_stand_below_their_titles_and_the_file_is_the_same_twice(tmp_path: Path) -> None:
    files = {name: made_tables.written(tmp_path, name, COLUMNS, [row("ours", 0.2, 0.01)]) for name in ("one", "other")}
    saved = []
    for number in range(2):
        (tmp_path / str(number)).mkdir()
        stem = targets.figure(
            tmp_path / str(number), made_tables.given(files, TITLES), kind="forest", tables=["one", "other"]
        )
        saved.append(stem.with_suffix(".svg").read_bytes())
    assert saved[0] == saved[1]
    assert {"one: Pavia University", "other: Pavia University"} <= set(targets.texts(stem))
