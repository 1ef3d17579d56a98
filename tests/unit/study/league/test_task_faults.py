"""Each planted fault of a task's network is the mistake that it is called, before the network is put into 8 bits."""

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import pytest
from keras import layers
from tests.factories import drawn_shapes
from tests.factories.drawn_shapes import FAULTS

IMAGES = np.random.default_rng(0).random((4, 12, 12, 1), np.float32)
Change = Callable[[np.ndarray], np.ndarray]


def network(task: str) -> keras.Model:
    keras.utils.set_random_seed(0)
    image = keras.Input((12, 12, 1), name="image")
    x = layers.Flatten()(layers.Conv2D(3, 3, activation="relu")(image))
    if task == "detect":
        parts = {"boxes": layers.Reshape((5, 4))(layers.Dense(20)(x)), "scores": layers.Dense(3)(x)}
        return keras.Model(image, parts)
    return keras.Model(image, layers.Dense(3)(x))


def outputs(model: Any, images: np.ndarray) -> dict[str, np.ndarray]:
    said = model(images)
    return {name: np.asarray(one) for name, one in said.items()} if isinstance(said, dict) else {"": np.asarray(said)}


def moved(images: np.ndarray) -> np.ndarray:
    """Two columns of black on the left, and two less on the right."""
    return np.concatenate([np.zeros_like(images[:, :, :2]), images[:, :, :-2]], axis=2)


def reversed_last(values: np.ndarray) -> np.ndarray:
    return values[..., ::-1]


OF_OUTPUTS: dict[tuple[str, str], tuple[str, Change]] = {
    ("regress", "outputs swapped"): ("", reversed_last),
    ("regress", "scale of outputs"): ("", lambda values: 1.2 * values),
    ("multilabel", "outputs swapped"): ("", reversed_last),
    ("multilabel", "scale of outputs"): ("", lambda values: 0.5 * values),
    ("detect", "classes swapped"): ("scores", reversed_last),
    ("detect", "scale of boxes"): ("boxes", lambda values: 0.6 * values),
    ("detect", "scale of scores"): ("scores", lambda values: 0.5 * values),
}
OF_INPUTS: dict[str, Change] = {
    "inputs shifted by two pixels": moved,
    "inputs from -1 to 1": lambda images: 2 * images - 1,
}


@pytest.mark.parametrize(("task", "fault"), [(task, fault) for task, made in FAULTS.items() for fault in made])
def test_a_fault_is_what_it_is_called(task: str, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawn_shapes, "int8", lambda model, samples: model)
    before = network(task)
    made: Any = FAULTS[task][fault](before, IMAGES)
    if fault in OF_INPUTS:
        expected = outputs(before, OF_INPUTS[fault](IMAGES))
    else:
        name, change = OF_OUTPUTS[task, fault]
        expected = outputs(before, IMAGES)
        expected[name] = change(expected[name])
    found = outputs(made, IMAGES)
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-4, atol=1e-5)


def test_faults_of_inputs_are_planted_for_every_task() -> None:
    assert {fault for made in FAULTS.values() for fault in made} == {*OF_INPUTS, *(fault for _, fault in OF_OUTPUTS)}
    assert all("inputs from -1 to 1" in made for made in FAULTS.values())
