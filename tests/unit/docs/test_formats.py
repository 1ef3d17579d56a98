"""The tables of formats say what the plug-ins offer, and what each command made of each."""

from itertools import product
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from tests.factories.places import ROOT
from tools.documents import tried_formats

from quantrift.core.base import extras
from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks import runtime
from quantrift.core.networks.runtimes.tensorflow import SUFFIXES as KERAS
from quantrift.core.pairs.task import names, task_of
from quantrift.judge.intake.given_functions import Function
from quantrift.judge.verdict.assessment import Assessment
from quantrift.judge.verdict.profiles import Settings
from quantrift.judge.verdict.run import assess


def test_every_ending_that_is_read_is_on_the_page_with_what_it_needs() -> None:
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    for name in runtime.names():
        module = runtime.module(name)
        needed = [extras.PACKAGES[one][1] for one in module.PACKAGES[:1] if one in extras.PACKAGES]
        for suffix in module.SUFFIXES if module.COMPRESSED else KERAS:
            assert f"`{suffix}`" in page
            # Inputs and outputs are chosen by name in all of them.
            assert not module.COMPRESSED or (hasattr(module, "ends") and hasattr(module, "load_values"))
        assert not module.SUFFIXES or all(f"`quantrift[{one}]`" in page for one in needed)


def test_every_format_was_tried_under_every_task_by_every_command() -> None:
    cells = [(one["format"], one["task"], one["command"]) for one in tried_formats.kept()]
    assert sorted(cells) == sorted(product(tried_formats.FORMATS, tried_formats.KINDS, tried_formats.COMMANDS))
    assert {*names()} <= {*tried_formats.KINDS}
    assert all(f"`{command}`" in tried_formats.text() for command in tried_formats.COMMANDS)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind"), [(".tflite", "classify"), (".onnx", "detect"), (".keras", "tokens")])
def test_a_cell_that_is_tried_again_says_what_the_table_says(
    name: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    kept = {
        one["command"]: one["outcome"] for one in tried_formats.kept() if (one["format"], one["task"]) == (name, kind)
    }
    assert dict(tried_formats.of_format(tmp_path, name, kind)) == kept


def test_a_function_is_assessed_under_every_task_if_it_says_that_it_gives_values(tmp_path: Path) -> None:
    assert {
        one["outcome"]
        for one in tried_formats.kept()
        if (one["format"], one["command"]) == (tried_formats.FUNCTION, "assess") and one["task"] in names()
    } == {"yes"}
    np.savez(tmp_path / "inputs.npz", inputs=np.random.default_rng(0).random((9, 4, 4, 1)))
    asked = Settings(task=task_of("regress", {"tolerance": (0.5,)}), seeds=2, generations=1)

    def assessed(outputs: Literal["logits", "values"]) -> Assessment:
        given = Function(lambda x: x.reshape(len(x), 16)[:, :3], outputs)
        return assess(given, [given], tmp_path / "inputs.npz", tmp_path / outputs, asked)

    [candidate] = assessed("values").candidates
    assert candidate.clean.disagreeing == 0
    with pytest.raises(QuantriftError, match="say outputs='values'"):
        assessed("logits")
