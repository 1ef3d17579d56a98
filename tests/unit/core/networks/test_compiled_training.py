"""Compiled training takes the steps of plain training, one network after the other, and can be interrupted."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
from keras import layers
from numpy.typing import NDArray
from tqdm import tqdm

from quantrift.core.base.inputs import ImageStack
from quantrift.core.networks.architectures import mlp
from quantrift.core.networks.training import compiled_training
from quantrift.core.networks.training.compiled_training import CompiledTraining
from quantrift.core.networks.training.training_run import fit
from quantrift.core.settings.networks import MLP, Training
from quantrift.study.compression.bits import bit_tensors
from quantrift.study.compression.bits.rounded_training import with_weights_behind
from quantrift.study.compression.published_form import kernels

RECIPES: dict[str, dict[str, Any]] = {
    "perceptron": {},
    "convolutions": {"decay": 0.1, "weight_decay": 0.01},
}


@pytest.fixture(scope="module")
def images() -> ImageStack:
    """Noise, so that the loss stays and with it the gradients; the last batch of an epoch is smaller."""
    rng = np.random.default_rng(0)
    return ImageStack(
        dataset="grey",
        title="Grey",
        class_names=["one", "other"],
        labels=rng.integers(0, 2, 60),
        train=np.arange(3, 53),
        validation=np.empty(0, np.int64),
        test=np.arange(53, 60),
        images=rng.integers(0, 256, (60, 8, 8, 1), dtype=np.uint8),
    )


def perceptron() -> keras.Model:
    return mlp.build(MLP(width=0.05), (8, 8, 1), 2)


def convolutions() -> keras.Model:
    image = keras.Input((8, 8, 1), name="image")
    x = layers.MaxPooling2D(name="pool")(layers.Conv2D(6, 3, activation="relu", name="conv")(image))
    return keras.Model(image, layers.Dense(2, name="logits")(layers.Flatten(name="flatten")(x)), name="convolutions")


NETWORKS = {"perceptron": perceptron, "convolutions": convolutions}


def in_few_bits(name: str, seed: int = 0) -> keras.Model:
    """A network of rounded weights, by the seed of its first weights and of its bits."""
    keras.utils.set_random_seed(seed)
    network = NETWORKS[name]()
    shapes = [tuple(kernel.shape) for kernel in kernels(network)]
    return with_weights_behind(network, bit_tensors.heterogeneous([2, 5], [0.5, 0.5], 5, shapes, seed))


def settings(**values: Any) -> Training:
    return Training.model_validate({"epochs": 3, "batch": 8, "learning_rate": 0.001} | values)


def weights(model: keras.Model) -> list[NDArray[np.float32]]:
    return [keras.ops.convert_to_numpy(value) for value in model.variables]


Ended = tuple[list[bytes], list[dict[str, Any]]]


def fitted(training: CompiledTraining, start: keras.Model, folder: Path, seed: int = 0) -> Ended:
    """All bits that training ends with, and its history."""
    with tqdm(disable=True) as progress:
        history = training.fit(weights(start), np.random.default_rng(seed), folder / "checkpoint.npz", progress)
    return [value.tobytes() for value in weights(training.model)], history


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.slow
def test_it_ends_where_plain_training_ends(name: str, images: ImageStack, tmp_path: Path) -> None:
    training = settings(**RECIPES[name])
    start, plain, ours = (in_few_bits(name) for _ in range(3))
    expected = fit(plain, images, training)
    _, found = fitted(CompiledTraining(ours, images, training), ours, tmp_path, training.seed)
    for value, other, first in zip(weights(ours), weights(plain), weights(start), strict=True):
        away, moved = np.abs(value - other), np.abs(value - first)
        # Adam divides gradients by their size, so that of those near 0 the last digits count.
        assert np.quantile(away, 0.9) < 1e-6
        assert away.max() <= 0.02 * moved.max()
    assert np.abs(weights(ours)[0] - weights(start)[0]).max() > 0.001
    for name, tolerance in (("loss", 1e-4), ("accuracy", 1e-6)):
        assert [epoch[name] for epoch in found] == pytest.approx([epoch[name] for epoch in expected], rel=tolerance)


@pytest.mark.slow
def test_a_network_ends_alike_whatever_was_trained_before(images: ImageStack, tmp_path: Path) -> None:
    name = "convolutions"
    alone = in_few_bits(name, 1)
    expected = fitted(CompiledTraining(alone, images, settings()), alone, tmp_path)
    training = CompiledTraining(in_few_bits(name, 2), images, settings())
    other = fitted(training, in_few_bits(name, 2), tmp_path)
    assert other[0] != expected[0]
    assert fitted(training, in_few_bits(name, 1), tmp_path) == expected


def stopping(take: Callable[..., Any], chunks: int) -> Callable[..., Any]:
    """The same steps, which fail when asked for one chunk more than ``chunks``."""
    left = iter(range(chunks))

    def taken(*batches: Any) -> Any:
        return pytest.fail("interrupted") if next(left, None) is None else take(*batches)

    return taken


@pytest.mark.slow
def test_interrupted_after_every_epoch_it_ends_with_the_bits_of_a_whole_training(
    images: ImageStack, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled_training, "CHUNK", 2)
    start = in_few_bits("perceptron")
    training = CompiledTraining(in_few_bits("perceptron"), images, settings())
    whole = fitted(training, start, tmp_path)
    (tmp_path / "checkpoint.npz").unlink()
    take = training._steps
    for _ in range(1, 3):
        # An epoch of 7 batches is 4 chunks, the last of them of one smaller batch; its second loses one of them.
        training._steps = stopping(take, 5)
        with pytest.raises(pytest.fail.Exception, match="interrupted"):
            fitted(training, start, tmp_path)
    training._steps = take
    assert fitted(training, start, tmp_path) == whole
    notices = [line for line in capfd.readouterr().err.splitlines() if "resuming" in line]
    assert notices == [f"training checkpoint: resuming after epoch {epoch} of 3" for epoch in (1, 2)]
