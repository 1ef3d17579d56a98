"""Options of tasks: what they mean, and those of another task, which are refused."""

import argparse
import re
from pathlib import Path

import numpy as np
import pytest
from tests.factories.places import ROOT

from quantrift.cli import task_options
from quantrift.cli.main import add_options
from quantrift.core.base.errors import QuantriftError
from quantrift.core.pairs.task import Task
from quantrift.core.pairs.tasks import detect, multilabel, regress


def said(*words: str) -> Task | None:
    parser = argparse.ArgumentParser()
    add_options(parser, task_options.OPTIONS)
    return task_options.given(parser.parse_args(words))


def test_nothing_said_is_classification() -> None:
    assert said() is None
    assert said("--task", "classify") is None


def test_numbers_of_each_task() -> None:
    assert said("--task", "regress") == regress.Settings((0.02,), share=True)
    assert said("--task", "regress", "--tolerance", "2%") == regress.Settings((0.02,), share=True)
    assert said("--task", "regress", "--tolerance", "0.5,3") == regress.Settings((0.5, 3.0), share=False)
    assert said("--task", "multilabel", "--threshold", "0.3") == multilabel.Settings(0.3)
    words = ("--iou", "0.6", "--box-format", "center", "--output", "boxes=b", "--output", "scores=s")
    assert said("--task", "detect", *words) == detect.Settings(iou=0.6, box_format="center", boxes="b", scores="s")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--tolerance", "0.5"], "--tolerance is of --task regress"),
        (["--task", "detect", "--threshold", "0.5"], "--threshold is of --task multilabel"),
        (["--task", "regress", "--agree", "os.path:join"], "--agree is of --task function"),
        (["--task", "function"], "give --agree"),
        (["--task", "regress", "--tolerance", "1,2%"], "give a number like"),
        (["--task", "regress", "--tolerance", "-1"], "not a number from 0"),
        (["--task", "multilabel", "--threshold", "2"], "between 0 and 1"),
        (["--task", "detect", "--output", "box"], "like boxes=NAME"),
        (["--task", "detect", "--box-format", "round"], "corners, center, corner_size"),
        (["--agree", "no_such_module:f"], "cannot be imported"),
        (["--agree", "os.path:no_such_name"], "cannot be imported"),
        (["--agree", "os.path"], "give package.module:function"),
    ],
)
def test_what_does_not_fit_is_refused(words: list[str], message: str) -> None:
    with pytest.raises(QuantriftError, match=re.escape(message)):
        said(*words)


def test_the_function_of_the_documentation_agrees_as_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, *_ = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "formats.md").read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "masks.py").write_text(code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    of = said("--agree", "masks:masks")
    assert of is not None
    first = np.zeros((3, 20, 20, 2), np.float32)
    first[..., 0] = 1
    second = first.copy()
    for image, pixels in ((1, 4), (2, 5)):
        second[image, 0, :pixels] = (0, 1)
    assert (of.difference({"mask": first}, {"mask": second}) > 1).tolist() == [False, False, True]
