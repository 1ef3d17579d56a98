"""Parts that figures share."""

from types import SimpleNamespace
from typing import Any

import pytest
from matplotlib.figure import Figure

from quantrift.study.results.figures.finished_figure import finished, lines

SETTINGS: Any = SimpleNamespace(title="Errors")
GIVEN: Any = SimpleNamespace(scale="demo")


@pytest.mark.parametrize(("letters", "columns"), [(5, 3), (25, 1), (400, 1)])
def test_a_legend_has_as_many_columns_as_fit_its_figure(letters: int, columns: int) -> None:
    figure = Figure(figsize=(4, 3))
    figure.subplots()
    finished(figure, SETTINGS, GIVEN, handles=lines(*((letters * name, {"color": "k"}) for name in "abc")), columns=3)
    [legend] = figure.legends
    figure.draw_without_rendering()
    assert len({round(text.get_window_extent().x0) for text in legend.get_texts()}) == columns
    assert letters == 400 or legend.get_window_extent().width <= figure.bbox.width
