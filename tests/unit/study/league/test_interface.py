"""Checkers share one interface, and their figures are those of others."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from onnxruntime.quantization import qdq_loss_debug
from tests.factories.places import ROOT

from quantrift.core.base.errors import QuantriftError
from quantrift.judge.intake.example import paths
from quantrift.judge.intake.given_inputs import read
from quantrift.study.league import checker, figures

SEARCHES = ("quantrift_noise", "quantrift_pso", "quantrift_random")


@pytest.mark.parametrize("name", checker.names())
def test_every_checker_says_what_its_score_means(name: str) -> None:
    found = checker.load(name)
    assert found.title
    assert found.meaning
    assert set(found.suffixes) <= set(checker.BOTH)


def test_titles_are_unique() -> None:
    titles = [checker.load(name).title for name in checker.names()]
    assert len(set(titles)) == len(titles)


def test_an_unknown_checker_is_refused_with_the_nearest() -> None:
    with pytest.raises(QuantriftError, match="accuracy"):
        checker.load("acuracy")


def test_sqnr_is_that_of_onnx_runtime() -> None:
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=(2, 5, 7)).astype(np.float32)
    expected = qdq_loss_debug.compute_signal_to_quantization_noice_ratio(x, x + noise)
    assert figures.sqnr(x, x + noise) == pytest.approx(expected)


def test_equal_tensors_have_no_noise_and_an_angle_of_none() -> None:
    x = np.arange(1, 7, dtype=np.float32)
    assert figures.sqnr(x, x) == figures.psnr(x, x) == math.inf
    assert figures.cosine(x, x) == pytest.approx(1)
    assert math.isnan(figures.cosine(x, 0 * x))


def test_psnr_has_the_range_of_the_original_as_its_peak() -> None:
    x = np.array([-1, 0, 3], np.float32)
    # Peak 4, mean squared error 0.04.
    assert figures.psnr(x, x + np.float32(0.2)) == pytest.approx(10 * math.log10(16 / 0.04), rel=1e-4)


@pytest.mark.parametrize("name", SEARCHES)
def test_searches_find_nothing_between_a_network_and_itself(name: str) -> None:
    found = checker.load(name)
    given = read(paths().inputs)
    assert given.labels is not None
    few = given.values[:40], given.labels[:40]
    assert found.score(paths().dynamic, paths().dynamic, *few) == 0


def test_the_example_of_the_documentation_is_a_checker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n((?:(?!```).)*)```\n\nNamed by an entry point", text, re.DOTALL)
    (tmp_path / "logits_off_by_one.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(checker, "_added", lambda: {"off": "logits_off_by_one"})
    found = checker.load("off")
    few = read(paths().inputs).values[:40]
    labels = np.zeros(40, np.int64)
    assert found.score(paths().dynamic, paths().dynamic, few, labels) == 0
    assert 0 <= found.score(paths().dynamic, paths().int8, few, labels) < 0.5
    assert "off" in checker.names()
    assert found.layer is None
    assert found.suffixes == checker.BOTH
