"""Every module of the folder is a method, and offers what methods do."""

import inspect
from typing import Literal

import pytest

from quantrift.core.base import plugins
from quantrift.core.settings.compressions import Compression, Rounding, Trained
from quantrift.study.compression import method


@pytest.mark.parametrize("name", plugins.names(method.FOLDER))
def test_every_method_is_a_module_that_says_what_it_states_and_compresses(name: str) -> None:
    module = method.load(name)
    assert issubclass(module.Settings, Compression)
    assert module.Settings.model_fields["method"].annotation == Literal[name]
    assert module.Settings.model_fields["method"].default == name
    assert list(inspect.signature(module.compress).parameters) == ["original", "inputs", "settings"]


@pytest.mark.parametrize("name", plugins.names(method.FOLDER))
def test_exactly_methods_that_train_can_be_trained_on(name: str) -> None:
    module = method.load(name)
    assert hasattr(module, "trainable") == issubclass(module.Settings, Trained | Rounding)


def test_a_job_gets_the_settings_of_its_own_method() -> None:
    stated = {"method": "homogeneous", "bits": 3}
    assert method.settings(stated) == method.load("homogeneous").Settings.model_validate(stated)
