"""Curves that step up where something is reached."""

import numpy as np
import pytest

from quantrift.study.results.figures.finished_figure import steps


@pytest.mark.parametrize(
    ("reached", "places", "shares"),
    [
        ([], [1, 9], [0, 0]),
        ([1, 3, 3], [1, 3, 9], [0.25, 0.75, 0.75]),
        ([4], [1, 4, 9], [0, 0.25, 0.25]),
    ],
)
def test_a_curve_goes_from_first_to_last_and_rises_where_some_of_four_are_reached(
    reached: list[int], places: list[int], shares: list[float]
) -> None:
    found = steps(np.array(reached, np.int64), 4, 1, 9)
    assert [one.tolist() for one in found] == [places, shares]
