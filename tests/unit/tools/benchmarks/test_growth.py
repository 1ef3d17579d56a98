"""Lines of growth: how straight they are, and how they are shown."""

import pytest
from tools.benchmarks.growth import bend, figure, seconds_of_genes, text

ROWS = [
    {"line": line, "number": number, "processor_seconds": 1 + number / 500, "mb": None if line == "genes" else 200.0}
    for line in ("searches", "candidates", "genes", "jobs")
    for number in (10, 100, 1000)
]


def test_a_straight_line_has_a_bend_of_one_whatever_it_costs_to_start() -> None:
    assert bend([(number, 5 + 2 * number) for number in (1.0, 10.0, 100.0)]) == pytest.approx(1)


def test_a_cost_that_grows_with_the_square_bends_up() -> None:
    assert bend([(number, number**2) for number in (1.0, 10.0, 100.0)]) == pytest.approx(10)


def test_two_points_have_no_bend() -> None:
    assert bend([(1, 1), (2, 5)]) == 0


def test_candidates_of_any_size_can_be_timed_without_networks() -> None:
    assert seconds_of_genes(8) > 0


def test_the_page_shows_each_line_from_its_first_to_its_last_point() -> None:
    searches = "| searches of 10 candidates | 10 | 1,000 | 1 to 3 | 2 ms | 200 to 200 MB |"
    assert text(ROWS).splitlines()[2] == searches
    assert len(figure(ROWS).axes) == 4
