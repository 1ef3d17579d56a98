"""Recipes: optimizers, learning rates and weight decay are those of the settings."""

import keras
import numpy as np
import pytest
from tests.factories.inputs import dark_or_light

from quantrift.core.base.inputs import ImageStack
from quantrift.core.networks.architectures import resnet20
from quantrift.core.networks.training.optimizer import optimizer, penalise_weights
from quantrift.core.networks.training.training_run import fit
from quantrift.core.settings.networks import ResNet20, Training


def training(**values: object) -> Training:
    return Training.model_validate({"epochs": 4, "batch": 8, "learning_rate": 0.1} | values)


def rate(of: keras.optimizers.Optimizer, step: int) -> float:
    of.iterations.assign(step)
    return float(of.learning_rate)


def test_the_rate_falls_to_a_tenth_when_the_epochs_before_a_drop_are_over() -> None:
    made = optimizer(training(drops=[2, 3]), steps=10)
    rates = [rate(made, step) for step in (0, 19, 20, 29, 30, 39)]
    assert rates == pytest.approx([0.1, 0.1, 0.01, 0.01, 0.001, 0.001])


def test_the_rate_decays_with_each_step() -> None:
    made = optimizer(training(decay=0.5), steps=10)
    assert [rate(made, step) for step in (0, 2, 8)] == pytest.approx([0.1, 0.05, 0.02])


def test_the_rate_falls_along_half_a_cosine_to_nothing() -> None:
    made = optimizer(training(cosine=True), steps=10)
    steps = np.array([0, 10, 20, 40])
    assert [rate(made, step) for step in steps] == pytest.approx(0.05 * (1 + np.cos(np.pi * steps / 40)), abs=1e-8)


def test_a_training_without_cosine_has_the_parameters_of_the_time_before_it() -> None:
    assert "cosine" not in training(drops=[2]).model_dump()


@pytest.mark.parametrize(("name", "kind"), [("adam", "Adam"), ("rmsprop", "RMSprop"), ("sgd", "SGD")])
def test_the_optimizer_is_the_named_one(name: str, kind: str) -> None:
    assert type(optimizer(training(optimizer=name), steps=1)).__name__ == kind


def test_gradient_descent_has_momentum() -> None:
    weight = keras.Variable(0.0)
    made = optimizer(training(optimizer="sgd"), steps=1)
    for _ in range(2):
        made.apply([keras.ops.ones(())], [weight])
    assert float(weight) == pytest.approx(-0.1 - 0.19)


def test_weight_decay_penalises_kernels_alone_and_leaves_no_trace_in_the_network() -> None:
    image = keras.Input((2,))
    model = keras.Model(image, keras.layers.Dense(1)(keras.layers.BatchNormalization()(image)))
    before = model.get_config()
    model.layers[-1].set_weights([np.array([[3.0], [4.0]]), np.array([7.0])])
    penalise_weights(model, 0.1)
    assert float(sum(model.losses)) == pytest.approx(0.1 / 2 * (9 + 16))
    assert model.get_config() == before


@pytest.fixture
def colours() -> ImageStack:
    """Noisy images, dark or light."""
    return dark_or_light(32, 32, train=np.arange(32))


@pytest.mark.slow
def test_resnet_learns_by_its_recipe(colours: ImageStack) -> None:
    keras.utils.set_random_seed(0)
    settings = ResNet20(width=0.25)
    recipe = settings.training.model_copy(update={"epochs": 5, "batch": 8, "learning_rate": 0.05, "drops": (4,)})
    history = fit(resnet20.build(settings, (32, 32, 3), 2), colours, recipe)
    assert history[-1]["accuracy"] > 0.9


def test_the_seed_decides_augmentation_and_everything_else(colours: ImageStack) -> None:
    def weights(seed: int, augment: tuple[str, ...]) -> list[np.ndarray]:
        keras.utils.set_random_seed(0)
        image = keras.Input((32, 32, 3))
        x = keras.layers.BatchNormalization()(keras.layers.Conv2D(4, 3, strides=4)(image))
        model = keras.Model(image, keras.layers.Dense(2)(keras.layers.Flatten()(x)))
        recipe = {"optimizer": "sgd", "learning_rate": 0.01, "weight_decay": 0.001, "seed": seed, "augment": augment}
        fit(model, colours, training(**recipe, epochs=2))
        return model.get_weights()

    both = ("mirror", "shift")
    one, again, other, plain = weights(1, both), weights(1, both), weights(2, both), weights(1, ())
    assert all((a == b).all() for a, b in zip(one, again, strict=True))
    assert not all((a == b).all() for a, b in zip(one, other, strict=True))
    assert not all((a == b).all() for a, b in zip(one, plain, strict=True))


@pytest.mark.parametrize("two", [{"drops": [2], "decay": 0.1}, {"drops": [2], "cosine": True}])
def test_the_rate_falls_in_one_way(two: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="give one of them"):
        training(**two)


def test_drops_rise() -> None:
    with pytest.raises(ValueError, match="rising order"):
        training(drops=[3, 2])
