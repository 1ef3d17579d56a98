"""The figure of a mending draws each order once, in percent and kilobytes, with one entry for all random orders."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tqdm import tqdm

from quantrift.cli.mend import announced
from quantrift.judge.mend import charts
from quantrift.judge.mend.mending import Point
from quantrift.judge.mend.mixed_search import OURS, SQNR
from quantrift.judge.verdict.tool_result import Rate


def point(order: str, size: int, share: float, rate: float | None) -> Point:
    ends = (None, None) if rate is None else (rate / 2, rate * 2)
    return Point(order, 1, size, share, 0, 100, Rate(rate, *ends))


@pytest.fixture
def figure(monkeypatch: pytest.MonkeyPatch) -> Any:
    found: Any = SimpleNamespace(
        limits=SimpleNamespace(max_dir=0.05),
        curve=[
            *(point(order, 2000, 0.75, 0.25) for order in (OURS, SQNR, "random 1")),
            point("random 2", 2000, 0.75, None),
            point(OURS, 4000, 0.5, 0.125),
            point("mended", 4000, 0.5, 0.0625),
        ],
    )
    drawn: list[Any] = []
    monkeypatch.setattr("quantrift.judge.verdict.charts.save", lambda figure, *_: drawn.append(figure))
    charts.curve(found, Path("curve"))
    return drawn[0]


def test_each_order_is_a_line_of_its_own(figure: Any) -> None:
    size, share = figure.axes
    lines = [(line.get_label(), [*line.get_xdata()], [*line.get_ydata()]) for line in size.lines]
    assert lines == [
        (f"by {OURS}", [2, 4], [25, 12.5]),
        (f"by {SQNR}", [2], [25]),
        ("random orders", [2], [25]),
        ("_", [2], [0]),
        ("mended", [4], [6.25]),
        ("limit on DiR", [0, 1], [5, 5]),
    ]
    assert [[*line.get_xdata()] for line in share.lines][:2] == [[75, 50], [75]]
    assert [line.get_linestyle() for line in size.lines][:3] == ["-", "--", "-"]


def test_points_of_our_order_have_their_intervals(figure: Any) -> None:
    for axis in figure.axes:
        [bars] = axis.collections
        assert [[y for _, y in ends] for ends in bars.get_segments()] == [[12.5, 50], [6.25, 25]]


def test_axes_and_legend_are_named(figure: Any) -> None:
    assert [axis.get_xlabel() for axis in figure.axes] == [
        "size of the file, kB",
        "multiply-accumulates in 8 bits, %",
    ]
    assert figure.axes[0].get_ylabel() == "disagreement on selection inputs\nand natural changes, %"
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [
        f"by {OURS}", f"by {SQNR}", "random orders", "mended", "limit on DiR",
    ]  # fmt: skip
    assert all(axis.get_ylim()[0] == 0 for axis in figure.axes)


def test_what_comes_next_stands_on_a_line_of_its_own_beside_a_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with tqdm(desc="mend", unit=" networks", file=sys.stderr, disable=False):
        announced("the verdict on 5 fresh inputs")
    assert "next         the verdict on 5 fresh inputs" in capsys.readouterr().err.splitlines()
