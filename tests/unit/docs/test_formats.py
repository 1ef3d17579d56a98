"""The table of formats and tasks says what the plug-ins offer."""

import re
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from tools.documents import formats_page

from quantrift.core.base import extras
from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks import runtime
from quantrift.core.networks.runtimes.tensorflow import SUFFIXES as KERAS
from quantrift.core.pairs.task import names, task_of
from quantrift.judge.intake.given_functions import Function
from quantrift.judge.verdict.assessment import Assessment
from quantrift.judge.verdict.profiles import Settings
from quantrift.judge.verdict.run import assess


def rows() -> dict[str, dict[str, str]]:
    """Format -> column -> cell, of the page as it is."""
    head, *cells = re.findall(r"^\| (.*) \|$", formats_page.text(), re.MULTILINE)
    columns = head.split(" | ")
    found = (dict(zip(columns, row.split(" | "), strict=True)) for row in cells)
    return {row["format"]: row for row in found}


def test_every_ending_that_is_read_has_one_row_and_every_task_a_column() -> None:
    listed = re.findall(r"`(\.\w+)`", " ".join(rows()))
    assert sorted(listed) == sorted({*KERAS, *runtime.suffixes_of_compressed()})
    for row in rows().values():
        assert {*names()} - {"function"} | {"own agreement function", "original", "compressed", "bundle"} <= set(row)
        assert {"several inputs", "one of several outputs"} <= set(row)


@pytest.mark.parametrize("name", [name for name in runtime.names() if runtime.module(name).COMPRESSED])
def test_each_runtime_takes_what_its_row_says(name: str) -> None:
    module = runtime.module(name)
    suffixes = set(module.SUFFIXES)
    row = next((row for title, row in rows().items() if suffixes & set(re.findall(r"`(\.\w+)`", title))), None)
    # A further way of running a format has no row of its own.
    assert (row is None) == (not suffixes)
    if row is None:
        return
    assert (row["original"], row["compressed"]) == ("yes", "yes")
    of_tasks = {row[column] for column in ("multilabel", "regress", "detect", "own agreement function")}
    assert of_tasks == {"yes" if hasattr(module, "load_values") else "no"}
    assert {row["several inputs"], row["one of several outputs"]} == {"yes" if hasattr(module, "ends") else "no"}
    needed = [extras.PACKAGES[one][1] for one in module.PACKAGES[:1] if one in extras.PACKAGES]
    assert row["needs"] == "".join(f"`quantrift[{one}]`" for one in needed)


def test_a_function_is_assessed_under_every_task_if_it_says_that_it_gives_values(tmp_path: Path) -> None:
    (row,) = (row for title, row in rows().items() if "function" in title)
    assert {row[column] for column in ("classify", "detect", "multilabel", "regress", "own agreement function")} == {
        "yes"
    }
    np.savez(tmp_path / "inputs.npz", inputs=np.random.default_rng(0).random((9, 4, 4, 1)))
    asked = Settings(task=task_of("regress", {"tolerance": (0.5,)}), seeds=2, generations=1)

    def assessed(outputs: Literal["logits", "values"]) -> Assessment:
        given = Function(lambda x: x.reshape(len(x), 16)[:, :3], outputs)
        return assess(given, [given], tmp_path / "inputs.npz", tmp_path / outputs, asked)

    [candidate] = assessed("values").candidates
    assert candidate.clean.disagreeing == 0
    with pytest.raises(QuantriftError, match="say outputs='values'"):
        assessed("logits")
