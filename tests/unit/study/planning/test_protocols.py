"""Mistakes in what protocols search for, draw and store are found before anything runs."""

from pathlib import Path
from typing import Any

import pytest
from tests.factories.configurations import overlaid

from quantrift.core.base.errors import QuantriftError

OWN = {"run_seeds": 2, "inputs": 4}
TABLES: dict[str, dict[str, Any]] = {
    "why": {"kind": "activation"},
    "pairs": {"kind": "cooccurrence"},
    "boxes": {"kind": "boxes"},
    "first": {"kind": "first_attack"},
    "vectors": {"kind": "tsne", "metaheuristics": {"PSO": {"f_div": "pso_div", "f_cov": "pso_cov"}}},
}


def loaded(tmp_path: Path, protocol: dict[str, Any], target: str | None = None, **more: Any) -> Any:
    overlay = {
        "protocols": {"own": OWN | protocol},
        "experiments": {"own": {"subjects": "diverget", "tools": ["pso_div", "pso_cov"], "protocol": "own"}},
        "targets": {"own": {"title": "Own", "from": ["own"], **TABLES[target]}} if target else {},
    }
    return overlaid(tmp_path, overlay | more)


@pytest.mark.parametrize(
    ("protocol", "target", "message"),
    [
        ({"goal": "targeted", "batch": 2}, None, "a targeted search has one seed input, got 2"),
        ({"goal": "targeted", "correct": False}, None, "targets are all classes but a seed input's own"),
        ({"goal": "both"}, None, "protocols.own.goal"),
        ({"agree": ["ptq_int9"]}, None, "protocols.own.agree: unknown compression 'ptq_int9'; did you mean 'ptq_int8'"),
        ({"candidates": "found"}, "why", "targets.own.from: experiment 'own' stores no candidates"),
        ({"candidates": "found"}, "pairs", "stores no candidates on which the models agree"),
        ({"goal": "targeted"}, "why", "searches each input once for every class"),
        ({"goal": "targeted"}, "boxes", "searches each input once for every class"),
        ({"goal": "targeted", "first_attack": True}, "first", "searches each input once for every class"),
        ({"goal": "one_keeps", "first_attack": True}, "first", "take goal: differ"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, protocol: dict[str, Any], target: str | None, message: str) -> None:
    with pytest.raises(QuantriftError, match=message):
        loaded(tmp_path, protocol, target)


@pytest.mark.parametrize("target", ["boxes", "vectors"])
def test_counts_and_stored_vectors_need_no_other_candidates(tmp_path: Path, target: str) -> None:
    protocol = loaded(tmp_path, {"candidates": "found", "goal": "one_keeps"}, target).protocols["own"]
    assert (protocol.candidates, protocol.goal, protocol.correct, protocol.agree) == ("found", "one_keeps", True, [])


@pytest.mark.parametrize(
    ("first", "message"),
    [
        ({"correct": False}, "'own' draws from another pool"),
        ({"per_class": True}, "how many inputs 'own' goes through"),
        ({"agree": ["ptq_int8"]}, "how many inputs 'own' goes through"),
    ],
)
def test_what_skips_cannot_know_how_far_such_protocols_draw(
    tmp_path: Path, first: dict[str, Any], message: str
) -> None:
    with pytest.raises(QuantriftError, match=message):
        loaded(
            tmp_path,
            first,
            protocols={"own": OWN | first, "later": OWN | {"skip": 100000}},
            experiments={
                "own": {"subjects": "diverget", "tools": ["pso_div"], "protocol": "own"},
                "later": {"subjects": "diverget", "tools": ["pso_div"], "protocol": "later"},
            },
        )


def test_models_that_must_agree_have_to_be_made_of_the_network(tmp_path: Path) -> None:
    file = {"path": "files/mine.tflite", "sha256": "0" * 64}
    model = {"source": "file", "title": "Mine", "original": file, "compressed": {"own_8bit": file}}
    subjects = {"mine": {"dataset": ["digits"], "model": ["mine"], "compression": ["own_8bit"]}}
    experiments = {"own": {"subjects": "mine", "tools": ["random"], "protocol": "own"}}
    with pytest.raises(QuantriftError, match="protocols.own.agree: ptq_int8 needs a .keras or .h5 file"):
        loaded(tmp_path, {"agree": ["ptq_int8"]}, models={"mine": model}, subjects=subjects, experiments=experiments)
    loaded(tmp_path, {"agree": ["own_8bit"]}, models={"mine": model}, subjects=subjects, experiments=experiments)
