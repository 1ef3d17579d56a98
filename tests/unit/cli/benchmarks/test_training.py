"""The benchmark of training: a few steps in a process of their own, and what the thesis's networks then cost."""

from typing import Any

import pytest
from tests.factories import configurations

from quantrift.base.errors import QuantriftError
from quantrift.base.paths import Paths
from quantrift.cli.benchmarks import training
from quantrift.cli.benchmarks.training_process import Steps, Took, took

PLAIN = {"epochs": 1, "batch": 4, "learning_rate": 0.001, "threads": 1}


def test_the_thesis_has_455_networks() -> None:
    parts = list(training.thesis(configurations.of_scale("paper")))
    found = {(part.dataset, part.model): (part.networks, part.inputs) for part in parts}
    assert found == {
        ("cifar10", "mlp"): (140, 50_000),
        ("cifar10", "vgg16"): (105, 50_000),
        ("mnist", "mlp"): (105, 60_000),
        ("mnist", "vgg16"): (105, 60_000),
    }
    assert sum(networks for networks, _ in found.values()) == 455
    dense = {part.model: part.settings.get("dense") for part in parts}
    assert dense == {"mlp": None, "vgg16": [4096, 4096]}


def test_hours_are_those_of_all_epochs_of_all_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    def step(steps: Steps) -> Took | None:
        slow = 100 if steps.model == "vgg16" else 1
        batch = steps.training["batch"]
        if steps.training["device"] == "gpu":
            return Took(0.001 * slow, 5, "card") if slow > 1 else None
        # By the clock another process doubles everything.
        return Took(2e-3 * slow * batch / 32, 1e-3 * slow * batch / 32, "")

    monkeypatch.setattr(training, "took", step)
    benchmark = training.Training()
    assert benchmark.needs(configurations.of_scale(), Paths.__new__(Paths)) == []
    found = benchmark.measure()
    each = {("mnist", "mlp"): 1875 * 1e-3, ("mnist", "vgg16"): 1875 * 0.1, ("cifar10", "mlp"): 1563 * 1e-3}
    rows = {(row["dataset"], row["model"], row["batch"], row["device"]): row for row in found.rows}
    for (dataset, model), seconds in each.items():
        row: Any = rows[dataset, model, 32, "cpu"]
        assert row["epoch_seconds"] == pytest.approx(seconds)
        assert row["hours_of_its_networks"] == pytest.approx(seconds * 500 * row["networks"] / 3600)
    on_processors = sum(row["hours_of_its_networks"] for key, row in rows.items() if key[2:] == (32, "cpu"))  # type: ignore[misc]
    assert found.value == found.details["hours_cpu_32"] == pytest.approx(on_processors)
    assert found.ratio == 1
    # The first network that finds no device ends the search for one.
    assert {key[3] for key in rows} == {"cpu"}


def test_steps_of_a_tiny_network_are_timed_in_a_process_of_their_own() -> None:
    found = took(Steps("mlp", {"width": 0.02}, (8, 8, 1), PLAIN, untimed=1, timed=2))
    assert found
    assert found.seconds > 0
    assert found.processor_seconds > 0
    assert found.device == ""


def test_without_a_device_there_is_nothing_to_time_and_another_mistake_is_told() -> None:
    assert took(Steps("mlp", {}, (8, 8, 1), PLAIN | {"device": "gpu"}, untimed=1, timed=1)) is None
    with pytest.raises(QuantriftError, match="training mlp failed: .*"):
        took(Steps("mlp", {"width": 2}, (8, 8, 1), PLAIN, untimed=1, timed=1))
