"""Every module of the folder is a kind of dataset, and offers what kinds do."""

import inspect
from typing import Literal

import pytest
import yaml
from tests.factories.places import CONFIG

from quantrift.core.base import plugins
from quantrift.core.settings.datasets import Dataset
from quantrift.study.datasets import dataset_kind

LIBRARY = CONFIG / "datasets.yaml"


@pytest.mark.parametrize("name", plugins.names(dataset_kind.FOLDER))
def test_every_kind_is_a_module_that_says_what_it_states_and_makes(name: str) -> None:
    module = dataset_kind.load(name)
    assert issubclass(module.Settings, Dataset)
    assert module.Settings.model_fields["kind"].annotation == Literal[name]
    assert list(inspect.signature(module.arrays).parameters) == ["settings", "places"]


def test_datasets_of_the_library_say_beforehand_how_large_they_are() -> None:
    for stated in yaml.safe_load(LIBRARY.read_text(encoding="utf-8"))["datasets"].values():
        settings = dataset_kind.settings(stated)
        assert type(settings) is dataset_kind.load(stated["kind"]).Settings
        assert (settings.labelled_pixels is None, settings.split_sizes is None) == (not settings.scene, settings.scene)
        told_elsewhere = stated["kind"] in ("npz_images", "image_folders")
        assert (settings.channels is None) == (settings.scene or told_elsewhere)
