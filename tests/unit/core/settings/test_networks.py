"""Settings of networks are the papers' and hang together."""

import pytest
from pydantic import ValidationError

from quantrift.core.settings.networks import CNN, SSRN, VGG16, Networks
from quantrift.core.settings.scene_networks import SceneSplit


def test_each_network_is_called_like_its_settings() -> None:
    assert {name: network.id for name, network in Networks().trained.items()} == {
        name: name for name in Networks().trained
    }
    assert len(Networks.model_fields) == 10


def test_ssrn_has_the_published_split_and_recipe() -> None:
    assert SSRN().split == SceneSplit(kind="per_class", train=0.1, validation=0.1)
    recipe = SSRN().training
    assert (recipe.optimizer, recipe.learning_rate, recipe.batch, recipe.epochs) == ("rmsprop", 0.0003, 16, 200)
    assert (SSRN().patch, SSRN().components) == (7, None)


def test_the_residual_networks_share_the_recipe_of_64000_steps() -> None:
    recipe = Networks().resnet20.training
    assert recipe == Networks().plainnet20.training
    steps = -(-50_000 // recipe.batch)
    assert [epoch * steps for epoch in (*recipe.drops, recipe.epochs)] == pytest.approx(
        [32_000, 48_000, 64_000], rel=0.005
    )


def test_a_patch_of_even_side_and_too_few_components_are_refused() -> None:
    with pytest.raises(ValidationError, match="odd side"):
        SSRN(patch=8)
    with pytest.raises(ValidationError):
        SSRN(components=6)


def test_networks_state_the_shapes_of_their_images() -> None:
    assert VGG16().shapes == ((28, 28, 1), (32, 32, 3))
    assert CNN().shapes == ((28, 28, 1),)
    assert "shapes" not in VGG16().model_dump()
