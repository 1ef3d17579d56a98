"""An interrupted training goes on after its last epoch, and ends like one that was never interrupted."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
from keras import layers
from tests.factories.inputs import dark_or_light

from quantrift.core.base.inputs import Floats, ImageStack, Inputs, ScenePatches
from quantrift.core.networks.training.checkpoint import Checkpoint
from quantrift.core.networks.training.trained_network import train
from quantrift.core.networks.training.training_run import Epoch, fit
from quantrift.core.networks.training.training_run import trained as fitted
from quantrift.core.settings.networks import HybridSN, Training

RECIPES: dict[str, dict[str, Any]] = {
    "adam": {"decay": 0.01},
    "sgd": {"optimizer": "sgd", "drops": (2, 3), "weight_decay": 0.001, "augment": ("mirror", "shift")},
}
BATCHES = 4
"""That one epoch asks for: three to train with, one to validate."""


class Interruption(Exception):
    """What ends a training in these tests."""


def stopping(inputs: Inputs, batches: int) -> Inputs:
    """The same inputs, which raise ``Interruption`` when asked for one batch more than ``batches``."""
    left = iter(range(batches))

    class Stopping(type(inputs)):  # type: ignore[misc]
        def take(self, indices: Any) -> Floats:
            if next(left, None) is None:
                raise Interruption
            return super().take(indices)

    stopped: Inputs = Stopping(**{field.name: getattr(inputs, field.name) for field in fields(inputs)})
    return stopped


@pytest.fixture(scope="module")
def colours() -> ImageStack:
    """Noisy images, dark or light, of which four validate."""
    return dark_or_light(28, 8, train=np.arange(20), validation=np.arange(20, 24), test=np.arange(24, 28))


def settings(**values: Any) -> Training:
    return Training.model_validate({"epochs": 4, "batch": 8, "learning_rate": 0.01} | values)


def network(units: int = 8) -> keras.Model:
    """A network with batch normalisation and two layers of dropout."""
    keras.utils.set_random_seed(0)
    image = keras.Input((8, 8, 3), name="image")
    x = layers.BatchNormalization(name="norm")(layers.Conv2D(4, 3, strides=2, name="conv")(image))
    x = layers.Dropout(0.3, name="dropout1")(layers.Flatten(name="flatten")(x))
    x = layers.Dropout(0.3, name="dropout2")(layers.Dense(units, "relu", name="dense")(x))
    return keras.Model(image, layers.Dense(2, name="logits")(x), name="small")


def ended(training: Training, inputs: Inputs, file: Path | None) -> tuple[list[bytes], list[Epoch]]:
    """All bits that training ends with, and its history, times aside."""
    model = network()
    history = fit(model, inputs, training, file)
    return bits(model), [epoch | {"seconds": None} for epoch in history]


def numbers(model: keras.Model) -> list[keras.Variable]:
    return [*model.variables, *model.optimizer.variables]


def bits(model: keras.Model) -> list[bytes]:
    return [keras.ops.convert_to_numpy(value).tobytes() for value in numbers(model)]


def checkpoint(file: Path, inputs: Inputs, model: keras.Model | None = None, **values: Any) -> Checkpoint:
    """The checkpoint of a training that has not begun."""
    model = model or network()
    model.compile("adam")
    model.optimizer.build(model.trainable_variables)
    return Checkpoint(file, model, inputs, settings(**values))


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
@pytest.mark.slow
def test_interrupted_after_every_epoch_it_ends_with_the_bits_of_a_whole_training(
    recipe: dict[str, Any], colours: ImageStack, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    training = settings(**recipe)
    whole = ended(training, colours, None)
    file = tmp_path / "checkpoint.npz"
    for _ in range(1, training.epochs):
        # Each process writes after its first epoch, however short; here it loses its second after one batch.
        with pytest.raises(Interruption):
            ended(training, stopping(colours, BATCHES + 1), file)
    assert ended(training, colours, file) == whole
    notices = [line for line in capfd.readouterr().err.splitlines() if "resuming" in line]
    assert notices == [f"training small: resuming after epoch {epoch} of 4" for epoch in (1, 2, 3)]
    # What follows the last epoch may be interrupted too.
    assert ended(training, stopping(colours, 0), file) == whole


def test_what_was_saved_comes_back_in_another_process(colours: ImageStack, tmp_path: Path) -> None:
    rng, history = np.random.default_rng(5), [{"epoch": 1, "loss": float("inf"), "accuracy": 1 / 3}]
    first, second = network(), network()
    saved = checkpoint(tmp_path / "file.npz", colours, first)
    restored = checkpoint(tmp_path / "file.npz", colours, second)
    for number, value in enumerate(numbers(first)):
        value.assign(np.full(value.shape, number))
    rng.random(3)
    saved.save(rng, history, last=False)
    other = np.random.default_rng(0)
    assert restored.restore(other) == history
    assert other.random() == rng.random()
    assert [float(np.max(value)) for value in numbers(second)] == list(range(len(numbers(first))))


def test_the_last_epoch_is_written_however_short(colours: ImageStack, tmp_path: Path) -> None:
    file, rng = tmp_path / "file.npz", np.random.default_rng(0)
    saved = checkpoint(file, colours)
    saved.save(rng, [{"epoch": 1}], last=False)
    saved.save(rng, [{"epoch": 2}], last=True)
    assert saved.restore(rng) == [{"epoch": 2}]


@pytest.mark.parametrize("other", [{"epochs": 5}, {"seed": 1}, {"decay": 0.1}, {"threads": 1}, {"augment": ["shift"]}])
def test_the_file_of_other_settings_is_ignored_silently(
    other: dict[str, Any], colours: ImageStack, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file, rng = tmp_path / "file.npz", np.random.default_rng(0)
    checkpoint(file, colours).save(rng, [{"epoch": 1}], last=True)
    assert checkpoint(file, colours, **other).restore(rng) == []
    assert capfd.readouterr().err == ""
    assert checkpoint(file, colours).restore(rng) == [{"epoch": 1}]


def test_the_file_of_other_data_layers_or_first_weights_is_ignored(colours: ImageStack, tmp_path: Path) -> None:
    file, rng = tmp_path / "file.npz", np.random.default_rng(0)
    checkpoint(file, colours).save(rng, [{"epoch": 1}], last=True)
    values = {field.name: getattr(colours, field.name) for field in fields(colours)}
    for changed in ({"images": colours.images + np.uint8(1)}, {"train": colours.train[1:]}):
        assert checkpoint(file, ImageStack(**values | changed)).restore(rng) == []
    assert checkpoint(file, colours, network(units=9)).restore(rng) == []
    weights = network()
    weights.set_weights([weight + 1 for weight in weights.get_weights()])
    assert checkpoint(file, colours, weights).restore(rng) == []


@pytest.mark.parametrize("part", [0.0, 0.3, 0.999])
def test_a_torn_file_is_ignored_with_one_line(
    part: float, colours: ImageStack, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file, rng = tmp_path / "file.npz", np.random.default_rng(0)
    checkpoint(file, colours).save(rng, [{"epoch": 1}], last=True)
    file.write_bytes(file.read_bytes()[: int(part * file.stat().st_size)])
    before = rng.bit_generator.state
    assert checkpoint(file, colours).restore(rng) == []
    assert rng.bit_generator.state == before
    [line] = capfd.readouterr().err.splitlines()
    assert line.startswith(f"{file}: not a readable checkpoint (")
    assert line.endswith("); training starts anew")


def test_a_flipped_bit_brings_back_nothing_or_what_was_saved(colours: ImageStack, tmp_path: Path) -> None:
    file, rng, model = tmp_path / "file.npz", np.random.default_rng(0), network()
    fresh = checkpoint(file, colours, model)
    fresh.save(rng, [{"epoch": 1}], last=True)
    content = file.read_bytes()
    saved = bits(model)
    for place in np.random.default_rng(0).integers(0, len(content), 200).tolist():
        file.write_bytes(content[:place] + bytes([content[place] ^ 16]) + content[place + 1 :])
        assert fresh.restore(rng) in ([], [{"epoch": 1}])
        assert bits(model) == saved


@pytest.mark.slow
def test_a_resumed_network_is_written_like_a_whole_one_and_its_checkpoint_is_gone(
    trained: Path, hybridsn_settings: HybridSN, tiny_scene: ScenePatches, scene_path: Path, tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    file = tmp_path / "training.checkpoint.npz"
    with pytest.raises(Interruption):
        # An epoch has 7 batches.
        fitted("hybridsn", hybridsn_settings, stopping(tiny_scene, 8), file)
    train("hybridsn", hybridsn_settings, scene_path, tmp_path)
    assert "training hybridsn: resuming after epoch 1 of 4" in capfd.readouterr().err
    names = {path.name for path in trained.iterdir()}
    assert {path.name for path in tmp_path.iterdir()} == names
    for name in names - {"model.timing.json"}:
        assert (tmp_path / name).read_bytes() == (trained / name).read_bytes(), name
