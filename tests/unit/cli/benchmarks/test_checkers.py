"""Checkers are compared at equal false alarms: thresholds come from other networks, and figures are counted rightly."""

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from sklearn.metrics import roc_auc_score
from tests.factories.places import ROOT

from quantrift.base.marked_section import Section
from quantrift.checks import checker
from quantrift.checks.planted.stored_weights import rounded
from quantrift.cli.benchmarks import checkers_page, checkers_table
from quantrift.cli.benchmarks.kept_code import _digest
from quantrift.metrics.checker_figures import caught_by
from quantrift.metrics.equal_alarms import Half, Scored, alarms, half, ranked, threshold

SCORES = some.lists(some.floats(-100, 100), min_size=1, max_size=60)


@given(SCORES, some.floats(0, 1))
def test_no_more_good_pairs_alarm_than_allowed_and_one_step_lower_would_be_too_many(
    scores: list[float], allowed: float
) -> None:
    found = threshold(scores, allowed)
    assert sum(score > found for score in scores) <= allowed * len(scores) + 1e-6
    assert found in scores
    if allowed < 1:
        assert sum(score >= found for score in scores) > allowed * len(scores) - 1e-6


def test_without_good_pairs_there_is_no_threshold() -> None:
    assert math.isnan(threshold([], 0.05))


@given(SCORES, SCORES, some.floats(0, 0.9))
def test_scores_of_a_network_decide_nothing_about_itself(own: list[float], others: list[float], allowed: float) -> None:
    def pairs(shift: float) -> list[Scored]:
        return [Scored("a", score + shift, good=True) for score in own] + [
            Scored("b", one, good=True) for one in others
        ]

    expected = threshold(others, allowed)
    for shift in (0.0, 1000.0):
        assert alarms(pairs(shift), allowed)[: len(own)] == [score + shift > expected for score in own]


def test_a_network_without_others_is_not_judged() -> None:
    assert alarms([Scored("a", 1.0, good=True), Scored("a", 2.0, good=False)], 0.05) == [None, None]


@given(SCORES, SCORES)
def test_ranks_are_the_area_under_the_curve_of_scikit_learn(faulty: list[float], good: list[float]) -> None:
    pairs = [Scored("a", score, good=False) for score in faulty] + [Scored("a", score, good=True) for score in good]
    # Another network, however it scores, changes nothing.
    others = [Scored("b", 1000.0, good=True), Scored("b", -1000.0, good=False)]
    found = ranked([*pairs, *others], [not one.good for one in pairs] + [False, False])
    expected = roc_auc_score([not one.good for one in pairs], [one.score for one in pairs])
    assert found == pytest.approx(expected)


def test_without_good_pairs_nothing_is_ranked() -> None:
    assert math.isnan(ranked([Scored("a", 1.0, good=False)], [True]))


def test_half_is_caught_between_two_strengths_along_their_logarithms() -> None:
    found = half({1.0: [False] * 4, 4.0: [True] * 4})
    assert found.strength == pytest.approx(2)
    assert str(found) == "2"
    assert half({1.0: [False, False, False, True], 4.0: [True] * 3 + [False]}).strength == pytest.approx(2)


def test_half_may_be_caught_at_once_or_never() -> None:
    assert half({0.5: [True], 1.0: [True]}) == Half(0.5, at_most=True)
    assert str(half({0.5: [True], 1.0: [True]})) == "≤ 0.5"
    assert str(half({0.5: [True], 1.0: [False]})) == "not reached"


@given(some.integers(-127, 127), some.integers(1, 6))
def test_weights_without_their_lowest_bits_stay_near_and_within_range(weight: int, lost: int) -> None:
    [found] = rounded(np.array([weight]), lost)
    assert found % 2**lost == 0
    assert abs(found) <= 127
    assert abs(found - weight) < 2**lost


def row(network: str, strength: float | None, state: str, layer: str | None, **scores: float | None) -> dict[str, Any]:
    said = {
        name: {"score": score, "layer": "conv1", "seconds": 0.5, "failed": None if score is not None else "no"}
        for name, score in scores.items()
    }
    fault = "int8" if strength is None else "scale"
    about = {"network": network, "family": network, "format": "tflite", "fault": fault, "seed": 0}
    return about | {"strength": strength, "state": state, "layer": layer, "disagreement": 0.1, "checkers": said}


ROWS = [
    *(row(network, None, "good", None, accuracy=0.0, sqnr_layers=-40.0) for network in "ab"),
    row("a", None, "broken", None, accuracy=0.9, sqnr_layers=0.0),
    row("a", 0.1, "good", "conv1", accuracy=0.0, sqnr_layers=-20.0),
    row("a", 0.5, "broken", "conv1", accuracy=0.2, sqnr_layers=-10.0),
    row("b", 0.5, "broken", "conv2", accuracy=0.0, sqnr_layers=-10.0),
    row("b", 0.5, "broken", "conv2", accuracy=None, sqnr_layers=-50.0),
]


def test_figures_of_checkers_are_counted_from_what_they_said() -> None:
    found = {one.name: one for one in checkers_table.of_every_checker(ROWS)}
    accuracy, layers = found["accuracy"], found["sqnr_layers"]
    assert (accuracy.broken.hits, accuracy.broken.of, accuracy.failed) == (1, 2, 1)
    assert (layers.broken.hits, layers.broken.of) == (2, 3)
    assert (layers.planted.hits, layers.planted.of) == (3, 4)
    # A file without a fault that is not shown to be good counts nowhere.
    assert (layers.false.hits, layers.false.of) == (0, 2)
    assert accuracy.layer is None
    assert layers.layer is not None
    assert (layers.layer.hits, layers.layer.of) == (2, 3)
    assert layers.halves["scale"] == Half(0.1, at_most=True)
    assert accuracy.seconds == 0.5
    caught = {number: [one.name for one in some] for number, some in caught_by(ROWS, [accuracy, layers]).items()}
    assert caught == {4: ["accuracy", "sqnr_layers"], 5: ["sqnr_layers"], 6: []}


def test_a_checker_that_is_not_installed_says_so_in_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker, "runs_here", lambda module: module.PACKAGE != "ai_edge_quantizer")
    found = checkers_table.of_every_checker(ROWS)
    text = checkers_table.markdown(ROWS, found)
    assert "| ai-edge-quantizer, MSE | not installed (AI Edge Quantizer) |" in text
    assert found[-1].missing


def test_people_and_machines_get_the_same_pairs(tmp_path: Path) -> None:
    result = checkers_table.write(ROWS, tmp_path / "checkers")
    assert result.rows is ROWS
    with (tmp_path / "checkers_scores.csv").open(newline="") as file:
        read = list(csv.DictReader(file))
    assert [one["sqnr_layers"] for one in read] == ["-40.0", "-40.0", "0.0", "-20.0", "-10.0", "-10.0", "-50.0"]
    assert read[-1]["accuracy"] == ""
    text = (tmp_path / "checkers.md").read_text()
    assert "* b, .tflite, scale 0.5: SQNR, layers" in text
    assert "Thresholds rest on 1 good pairs of other networks, of which none may alarm" in text
    assert (tmp_path / "checkers.svg").is_file()


def test_the_page_has_room_for_the_table() -> None:
    section = Section(ROOT / checkers_page.PAGE, checkers_page.BEGIN)
    assert "| a table |" in section.with_part("| a table |")


def test_notes_do_not_change_the_key_of_kept_results_and_code_does(tmp_path: Path) -> None:
    texts = ['"""One."""\nx = 1\n"""Two."""\n', "x = 1  # three\n", "x = 2\n"]
    digests = []
    for number, text in enumerate(texts):
        path = tmp_path / f"{number}.py"
        path.write_text(text)
        digests.append(_digest(path))
    assert digests[0] == digests[1] != digests[2]
