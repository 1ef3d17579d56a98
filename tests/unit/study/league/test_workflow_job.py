"""The job that asks checkers: the same answers from run to run, and a reason where one is missing."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import keras
import numpy as np
import pytest
from tests.factories.places import ROOT

from quantrift.core.base import code_digests
from quantrift.core.statistics.checker_figures import About, Row, read
from quantrift.study.league import checker, planted_pairs
from quantrift.study.league.planted import graded_pairs, tinted_digits, trained_networks
from quantrift.study.league.planted.graded_pairs import Format, GradedPair
from quantrift.study.league.planted.trained_networks import Kind, Trained
from quantrift.study.league.workflow_job import check_network

ASKED = ("accuracy", "ai_edge_quantizer_mse", "sqnr_layers")
SCRIPT = ROOT / "workflow" / "scripts" / "check_network.py"


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A network that is not trained, a good file and a fault in it, three checkers of which one is missing."""

    def untrained(kind: Kind, images: tinted_digits.Images, folder: Path) -> Trained:
        keras.utils.set_random_seed(kind.training.seed)
        samples = kind.inputs(images.train, images.train_labels).take(range(20))
        model = kind.build()
        # A bias of zeros would be left out of the file.
        model.set_weights([one + np.float32(0.01) for one in model.get_weights()])
        return Trained(kind, model, model, samples, samples, samples)

    def two(net: Trained, form: Format, folder: Path, draws: int) -> Iterator[GradedPair]:
        # A conversion takes seconds.
        one_good = replace(form, good={graded_pairs.INT8: form.good[graded_pairs.INT8]})
        return islice(graded_pairs.pairs(net, one_good, folder, draws), 2)

    monkeypatch.setattr(trained_networks, "trained", untrained)
    monkeypatch.setattr(planted_pairs, "pairs", two)
    monkeypatch.setattr(checker, "names", lambda: ASKED)
    monkeypatch.setattr(checker, "runs_here", lambda found: found.package is None)


def asked(out: Path) -> tuple[list[Row], dict[str, About]]:
    check_network("perceptron", "tflite", 1, out)
    return read(out)


@pytest.mark.usefixtures("few")
@pytest.mark.slow
def test_a_job_asks_every_checker_and_says_which_are_missing(tmp_path: Path) -> None:
    rows, checkers = asked(tmp_path / "perceptron" / "tflite.json")
    assert {name: one.missing for name, one in checkers.items()} == {
        "accuracy": None,
        "ai_edge_quantizer_mse": "not installed (AI Edge Quantizer)",
        "sqnr_layers": None,
    }
    assert [(row["network"], row["format"], row["fault"], row["strength"]) for row in rows] == [
        ("perceptron", "tflite", "int8", None),
        ("perceptron", "tflite", "scale", 0.01),
    ]
    assert all(row["checkers"].keys() == {"accuracy", "sqnr_layers"} for row in rows)
    assert all(row["checkers"]["sqnr_layers"]["score"] < 0 for row in rows)
    # The only layer in which the fault may be drawn.
    assert [row["layer"] for row in rows] == [None, "dense1"]


@pytest.mark.nightly
def test_a_network_that_is_trained_again_gets_the_same_answers(tmp_path: Path) -> None:
    """Training and conversions too; no search, whose draws have tests of their own."""
    files = [tmp_path / name / "tflite.json" for name in ("first", "second")]
    for file in files:
        # A training settles the threads of its process.
        code = (
            "from pathlib import Path\n"
            "from quantrift.study.league import checker, workflow_job\n"
            'checker.names = lambda: ("kl_divergence", "quantrift_layers")\n'
            f"workflow_job.check_network('perceptron', 'tflite', 1, Path({str(file)!r}))\n"
        )
        subprocess.run([sys.executable, "-c", code], check=True)
    first, second = (file.read_bytes() for file in files)
    assert first == second
    rows, _ = read(files[0])
    assert {row["state"] for row in rows if row["strength"] is None} == {"good"}
    assert "broken" in {row["state"] for row in rows if row["strength"] is not None}


def test_code_of_checkers_and_of_planted_pairs_counts_for_their_own_job_alone() -> None:
    modules = [checker.module_name(name) for name in checker.names()]
    own, packages = code_digests.reached(SCRIPT, modules)
    wanted = {
        f"quantrift.study.league.planted.{name}"
        for name in ("graded_pairs", "stored_weights", "tinted_digits", "trained_networks", "truth")
    }
    assert {*modules, *wanted} <= {*own}
    # A version that changes, or a package that is installed later, has to ask again.
    assert {"ai_edge_quantizer", "onnxruntime"} <= packages
    for script in SCRIPT.parent.glob("*.py"):
        if script != SCRIPT:
            reached, _ = code_digests.reached(script, [])
            assert not [name for name in reached if name.startswith("quantrift.study.league.")], script.name


def test_a_training_states_all_that_it_depends_on() -> None:
    """Defaults of settings count for no job."""
    tree = ast.parse(Path(trained_networks.__file__).read_text(encoding="utf-8"))
    [call] = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Training"
    ]
    assert {one.arg for one in call.keywords} == {*trained_networks.Training.model_fields}
