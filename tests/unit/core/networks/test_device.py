"""Trainings use the device that is asked for and no other; as tests need none, TensorFlow's answers are stand-ins."""

from typing import Any

import pytest
import tensorflow as tf

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.training import device
from quantrift.core.networks.training.training_run import reproducible
from quantrift.core.settings.attacks import FastGradient
from quantrift.core.settings.networks import Training

DEVICES = ["first", "second"]


def training(**values: Any) -> Training:
    return Training.model_validate({"epochs": 1, "batch": 1, "learning_rate": 0.1} | values)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """Calls to TensorFlow, recorded on a machine with two graphics processors."""
    found: list[tuple[Any, ...]] = []

    def note(name: str) -> Any:
        return lambda *values: found.append((name, *values))

    monkeypatch.setattr(tf.config, "list_physical_devices", lambda kind: DEVICES if kind == "GPU" else [])
    monkeypatch.setattr(tf.config, "set_visible_devices", note("visible"))
    for name in ("set_memory_growth", "enable_tensor_float_32_execution"):
        monkeypatch.setattr(tf.config.experimental, name, note(name))
    monkeypatch.setattr(tf.config.experimental, "get_device_details", lambda one: {"device_name": f"card {one}"})
    return found


def test_without_a_device_a_training_that_asks_for_one_ends_at_once_in_one_line() -> None:
    with pytest.raises(QuantriftError, match=r"^training\.device: gpu is asked for, .*'quantrift\[gpu\]'.* cpu$"):
        reproducible(training(device="gpu"))


def test_on_a_device_it_takes_the_first_shares_its_memory_and_computes_in_float32(told: list[Any]) -> None:
    device.use("gpu")
    assert told == [
        ("set_memory_growth", "first", True),
        ("visible", ["first"], "GPU"),
        ("enable_tensor_float_32_execution", False),
    ]


@pytest.mark.parametrize("settings", [training(), training(device="cpu"), FastGradient(method="fast_gradient")])
def test_on_processors_every_device_is_hidden(settings: Any, told: list[Any]) -> None:
    reproducible(settings)
    assert told == [("visible", [], "GPU")]


def test_a_process_that_computes_elsewhere_already_is_refused(told: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: Any) -> None:
        raise RuntimeError("Visible devices cannot be modified after being initialized")

    monkeypatch.setattr(tf.config, "set_visible_devices", late)
    with pytest.raises(QuantriftError, match=r"training\.device=cpu; use a new process"):
        device.use("cpu")


def test_a_device_is_named_beside_the_network_and_a_processor_is_not(told: list[Any]) -> None:
    assert device.facts(training(device="gpu")) == {"device": {"type": "gpu", "name": "card first"}}
    assert device.facts(training()) == {}
