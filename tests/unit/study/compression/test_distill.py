"""A student is smaller than its teacher, learns what it says, and changes nothing about it."""

from pathlib import Path

import keras
import numpy as np
import pytest
from tests.factories import inputs

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import write_json
from quantrift.core.base.inputs import ImageStack, ScenePatches
from quantrift.core.networks.evaluate import accuracy, logits
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.networks.training.original import Compressed, Original
from quantrift.core.networks.training.trained_network import train
from quantrift.core.settings.networks import HybridSN, LeNet5, Training
from quantrift.study.compression import distillation
from quantrift.study.compression.methods import distill

pytestmark = pytest.mark.slow

TRAINING = Training(epochs=4, batch=32, learning_rate=0.005)
SHORT = TRAINING.model_copy(update={"epochs": 1})
HALF = distill.Settings(method="distill", width=0.5, training=TRAINING)


@pytest.fixture(scope="module")
def digits() -> ImageStack:
    return inputs.digits()


@pytest.fixture(scope="module")
def teacher(digits: ImageStack, tmp_path_factory: pytest.TempPathFactory) -> Original:
    folder = tmp_path_factory.mktemp("teacher")
    digits.save(folder / "inputs.npz")
    train("lenet5", LeNet5(width=0.5, training=TRAINING), folder / "inputs.npz", folder / "out")
    return Original(folder / "out")


@pytest.fixture(scope="module")
def student(teacher: Original, digits: ImageStack) -> Compressed:
    return distill.compress(teacher, digits, HALF)


def loss(settings: distill.Settings, said: np.ndarray, taught: np.ndarray, labels: list[int]) -> float:
    given = keras.Input((said.shape[1],))
    pupil = distillation.Student(
        keras.Model(given, keras.layers.Identity()(given)),
        lambda x: keras.ops.add(x, 0),
        settings.true_labels,
        settings.temperature,
    )
    return float(pupil.compute_loss(x=taught, y=np.array(labels), y_pred=said))


def softmax(values: np.ndarray) -> np.ndarray:
    powers = np.exp(values)
    return powers / powers.sum(axis=1, keepdims=True)


def test_the_loss_is_that_of_the_paper() -> None:
    said, taught = np.random.default_rng(0).normal(size=(2, 4, 3)).astype(np.float32)
    p, q = softmax(taught / 4), softmax(said / 4)
    divergence = 16 * (p * np.log(p / q)).sum(axis=1).mean()
    of_labels = -np.log(softmax(said)[range(4), [0, 1, 2, 0]]).mean()
    expected = 0.3 * of_labels + 0.7 * divergence
    settings = distill.Settings(method="distill", temperature=4, true_labels=0.3)
    assert loss(settings, said, taught, [0, 1, 2, 0]) == pytest.approx(expected, rel=1e-4)


def test_who_repeats_the_teacher_loses_nothing_to_it() -> None:
    said = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
    settings = distill.Settings(method="distill", true_labels=0)
    assert loss(settings, said, said, [0, 0, 0, 0]) == pytest.approx(0, abs=1e-5)


def test_a_student_is_smaller_and_nearly_as_good(
    student: Compressed, teacher: Original, digits: ImageStack, tmp_path: Path
) -> None:
    # Of 0.5 and half of that: 2 of 6 filters, 4 of 16, 30 of 120 units, 21 of 84.
    assert student.facts["student"] == "lenet5"
    assert student.facts["parameters"] == 52 + 204 + (49 * 4 + 1) * 30 + 31 * 21 + 22 * 10
    (tmp_path / "model.tflite").write_bytes(student.content)
    assert tmp_path.joinpath("model.tflite").stat().st_size < (teacher.folder / "original.tflite").stat().st_size / 2
    after = accuracy(logits(LiteRT(tmp_path / "model.tflite"), digits, digits.test), digits.labels[digits.test])
    assert teacher.facts["accuracy"] - 0.1 < after


def test_students_learn_from_the_teacher_alone(teacher: Original, digits: ImageStack, tmp_path: Path) -> None:
    # Labels of the training split that say nothing, and that nothing is learned from.
    wrong = ImageStack(**{**vars(digits), "labels": np.zeros_like(digits.labels)})
    result = distill.compress(teacher, wrong, HALF.model_copy(update={"true_labels": 0.0}))
    (tmp_path / "model.tflite").write_bytes(result.content)
    assert accuracy(logits(LiteRT(tmp_path / "model.tflite"), digits, digits.test), digits.labels[digits.test]) > 0.8


def test_distilling_again_gives_the_same_bytes_and_leaves_the_teacher_alone(
    teacher: Original, digits: ImageStack
) -> None:
    settings = HALF.model_copy(update={"training": SHORT})
    first, again = Original(teacher.folder), Original(teacher.folder)
    # Read before, which draws random numbers.
    weights = [value.copy() for value in again.twin.get_weights()]
    assert distill.compress(first, digits, settings) == distill.compress(again, digits, settings)
    assert all(np.array_equal(*pair) for pair in zip(weights, again.twin.get_weights(), strict=True))


def test_students_learn_from_networks_for_scenes(
    trained: Path, tiny_scene: ScenePatches, hybridsn_settings: HybridSN, tmp_path: Path
) -> None:
    settings = distill.Settings(method="distill", width=1, temperature=1, training=hybridsn_settings.training)
    (tmp_path / "model.tflite").write_bytes(distill.compress(Original(trained), tiny_scene, settings).content)
    outputs = logits(LiteRT(tmp_path / "model.tflite"), tiny_scene, tiny_scene.test)
    assert accuracy(outputs, tiny_scene.labels[tiny_scene.test]) > 0.7


def test_unknown_students_are_refused_by_name(teacher: Original, digits: ImageStack) -> None:
    with pytest.raises(QuantriftError, match=r"distill\.student: did you mean 'lenet4'\?"):
        distill.compress(teacher, digits, HALF.model_copy(update={"student": "lenet44"}))


def test_students_that_do_not_fit_the_inputs_are_refused(teacher: Original, digits: ImageStack) -> None:
    with pytest.raises(QuantriftError, match=r"hybridsn cannot be built for inputs of shape \(28, 28, 1\)"):
        distill.compress(teacher, digits, HALF.model_copy(update={"student": "hybridsn"}))


def test_the_student_of_a_network_from_a_file_is_another_network(
    teacher: Original, digits: ImageStack, tmp_path: Path
) -> None:
    (tmp_path / "twin.keras").write_bytes((teacher.folder / "twin.keras").read_bytes())
    write_json(tmp_path / "model.json", {"model": "somebodys", "settings": {"source": "file"}})
    with pytest.raises(QuantriftError, match=r"'somebodys' is a network from a file, so name another .* valid: cnn, "):
        distill.compress(Original(tmp_path), digits, HALF)
    # Inputs changed on the way, and weights penalised.
    training = SHORT.model_copy(update={"augment": ("shift",), "weight_decay": 0.001})
    named = distill.Settings(method="distill", student="lenet1", width=1, training=training)
    facts = distill.compress(Original(tmp_path), digits, named).facts
    assert facts["student"] == "lenet1"
    assert facts["parameters"] == 7206
