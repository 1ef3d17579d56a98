"""The benchmark of training: a few steps in a process of their own, and what the thesis's networks then cost."""

from pathlib import Path
from typing import Any

import pytest
from tests.factories import configurations
from tools.benchmarks import training
from tools.benchmarks.training_process import Steps, Took, took

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import read_json, write_json
from quantrift.study.planning.configuration_files import ROOT

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
            return Took(0.001 * slow, 5, "card", 1000) if slow > 1 else None
        # By the clock another process doubles everything.
        return Took(2e-3 * slow * batch / 32, 1e-3 * slow * batch / 32, "", 1000)

    monkeypatch.setattr(training, "took", step)
    found = training.Training().measure()
    each = {("mnist", "mlp"): 1875 * 1e-3, ("mnist", "vgg16"): 1875 * 0.1, ("cifar10", "mlp"): 1563 * 1e-3}
    rows = {(row["dataset"], row["model"], row["batch"], row["device"]): row for row in found.rows}
    for (dataset, model), seconds in each.items():
        row: Any = rows[dataset, model, 32, "cpu"]
        assert row["epoch_seconds"] == pytest.approx(seconds)
        assert row["hours_of_its_networks"] == pytest.approx(seconds * 500 * row["networks"] / 3600)
    on_processors = sum(row["hours_of_its_networks"] for key, row in rows.items() if key[2:] == (32, "cpu"))  # type: ignore[misc]
    assert found.value == found.details["hours_cpu_32"] == pytest.approx(on_processors)
    assert found.ratio == 1
    assert rows["mnist", "mlp", 256, "cpu"]["operations"] == 6 * 1000 * 60_000 * 500 * 105
    # A page reads what a row holds.
    assert [*found.rows[0]] == [*_row()]
    assert rows["mnist", "mlp", 32, "cpu"]["timed_steps"] == training.COUNTS["mlp", "cpu"][1]
    # The first network that finds no device ends the search for one.
    assert {key[3] for key in rows} == {"cpu"}


@pytest.mark.slow
def test_steps_of_a_tiny_network_are_timed_in_a_process_of_their_own() -> None:
    found = took(Steps("mlp", {"width": 0.02}, (8, 8, 1), PLAIN, untimed=1, timed=2))
    assert found
    assert found.seconds > 0
    assert found.device == ""
    # Dense layers of 10 units, a fiftieth of 512, on 64 pixels.
    assert found.multiplications == 64 * 10 + 10 * 10 + 10 * 10


@pytest.mark.slow
def test_without_a_device_there_is_nothing_to_time_and_another_mistake_is_told() -> None:
    assert took(Steps("mlp", {}, (8, 8, 1), PLAIN | {"device": "gpu"}, untimed=1, timed=1)) is None
    with pytest.raises(QuantriftError, match="training mlp failed: .*"):
        took(Steps("mlp", {"width": 2}, (8, 8, 1), PLAIN, untimed=1, timed=1))


def _row(**changed: Any) -> dict[str, Any]:
    row = {
        "dataset": "mnist",
        "model": "mlp",
        "batch": 32,
        "device": "cpu",
        "device_name": "",
        "timed_steps": 200,
        "step_seconds": 0.002,
        "step_processor_seconds": 0.001,
        "epoch_seconds": 1.875,
        "networks": 105,
        "hours_of_its_networks": 27.3,
        "operations": 864e15,
    }
    return row | changed


def test_the_page_counts_seconds_of_processors_and_those_of_a_device_by_the_clock() -> None:
    on_card = _row(device="gpu", device_name="a card", epoch_seconds=3750, hours_of_its_networks=1234.5)
    details = {"hours_cpu_32": 27.3, "hours_gpu_32": 1234.5}
    lines = training.text({"rows": [on_card, _row()], "details": details, "cpu": {"model": "a core"}}).splitlines()
    assert lines[2:4] == [
        "| MLP, MNIST (105 networks) | one thread, a core | 32 | 200 | 1 ms | 1.88 s | 27 core-hours |",
        "| MLP, MNIST (105 networks) | a card | 32 | 200 | 2 ms | 3,750 s | 1,234 device-hours |",
    ]
    assert lines[-2:] == [
        "* All 105 networks at batch 32: 27 core-hours.",
        "* All 105 networks at batch 32: 1,234 device-hours.",
    ]


def test_operations_are_stated_with_days_at_a_stated_speed() -> None:
    rows = [_row(), _row(model="vgg16"), _row(batch=256), _row(model="vgg16", batch=256)]
    said = training.operations({"rows": rows})
    assert said.startswith(
        "The thesis's 210 trainings are 1.7e+18 floating-point operations: at a sustained 10 TFLOP/s"
    )
    assert said.endswith(" one device takes 2 days")


def test_a_page_without_a_device_says_so() -> None:
    found = {"rows": [_row()], "details": {"hours_cpu_32": 27.3}, "cpu": {"model": "a core"}}
    assert training.text(found).endswith("Figures of a graphics processor are missing, as none was at hand.")


def test_a_newer_run_of_the_checkout_replaces_what_is_kept(tmp_path: Path) -> None:
    kept = read_json(ROOT / training.KEPT)
    write_json(tmp_path / training.KEPT, kept)
    assert training.measured(tmp_path) == kept
    write_json(tmp_path / "results" / "bench" / "training.json", kept | {"value": 1.0, "name": "training"})
    assert training.measured(tmp_path) == kept | {"value": 1.0}
