"""Kinds of figures say whether they show inputs, as the project hands out no data of others."""

from pathlib import Path
from typing import Any

import pytest

from quantrift.study.results.targets import kinds


@pytest.mark.parametrize("name", kinds.names("figures"))
def test_a_kind_that_draws_inputs_says_so(name: str) -> None:
    module: Any = kinds.load(name)
    draws = "quantrift.core.page.false_colour" in Path(module.__file__).read_text(encoding="utf-8")
    assert module.Settings.model_construct().shows_inputs == draws
