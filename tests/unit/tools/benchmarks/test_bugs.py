"""Figures of checkers are counted rightly, and people and machines get the same ones."""

from pathlib import Path

import pytest
from tests.factories.checked_pairs import row
from tools.benchmarks import benchmark, bugs

from quantrift.core.statistics.checker_figures import caught_by
from quantrift.core.statistics.equal_alarms import Half

ROWS = [
    *(row(network, None, "good", None, accuracy=0.0, sqnr_layers=-40.0) for network in "ab"),
    row("a", None, "broken", None, accuracy=0.9, sqnr_layers=0.0),
    row("a", 0.1, "good", "conv1", accuracy=0.0, sqnr_layers=-20.0),
    row("a", 0.5, "broken", "conv1", accuracy=0.2, sqnr_layers=-10.0),
    row("b", 0.5, "broken", "conv2", accuracy=0.0, sqnr_layers=-10.0),
    row("b", 0.5, "broken", "conv2", accuracy=None, sqnr_layers=-50.0),
]


def test_figures_of_checkers_are_counted_from_what_they_said() -> None:
    found = {one.name: one for one in bugs.of_every_checker(ROWS)}
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


def test_notes_do_not_change_the_key_of_kept_results_and_code_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benchmark, "PACKAGE", tmp_path)
    texts = ['"""One."""\nx = 1\n"""Two."""\n', "x = 1  # three\n", "x = 2\n"]
    digests = []
    for number, text in enumerate(texts):
        path = tmp_path / f"{number}.py"
        path.write_text(text)
        digests.append(benchmark.key(path.name))
    assert digests[0] == digests[1] != digests[2]
