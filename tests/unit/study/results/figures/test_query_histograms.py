"""Histograms of queries: every search has its place, and failures are counted."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.factories import datasets, searches, targets
from tests.factories.searches import first_attack

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.paths import Paths
from quantrift.study.results.figures.kinds.query_histograms import bins

DATASETS = {"digits": datasets.digits()}
STATED = {"kind": "query_histograms", "from": ["q"], "tools": ["triggerfinder_code", "diffchaser_code"]}


@pytest.fixture
def searched(tmp_path: Path) -> Callable[..., Path]:
    """Writes searches of a tool: queries to success of each input, 0 for none of 1000."""

    def write(tool: str, *found: int) -> Path:
        rows = [first_attack(0, number, queries, 1000) for number, queries in enumerate(found)]
        return searches.write(rows, Paths(tmp_path).searches("digits", "lenet5", "ptq_int8", tool, "q"))

    return write


@pytest.mark.parametrize("values", [[1], [7, 7], [1, 2, 3, 4], [1, 30_000], [117, 117, 4198, 12]])
def test_every_number_of_queries_falls_into_one_bin(values: list[int]) -> None:
    edges = bins(np.array(values, float))
    assert (np.diff(edges) >= 1).all()
    assert edges[0] > 0
    assert np.histogram(values, edges)[0].sum() == len(values)


def test_panels_name_tools_failures_and_scale(tmp_path: Path, searched: Callable[..., Path]) -> None:
    files = [searched("triggerfinder_code", 5, 9, 30, 2), searched("diffchaser_code", 400, 0, 300, 0)]
    titles = {"triggerfinder_code": "TriggerFinder", "ptq_int8": "8 bits"}
    given = targets.given({"searches": targets.of_searches(files)}, DATASETS, titles=titles)
    path = targets.figure(tmp_path, given, **STATED).with_suffix(".svg")
    texts = set(targets.texts(path))
    assert {"TriggerFinder", "diffchaser_code", "mean", "median", "Digits", "lenet5 \u00b7 8 bits"} <= texts
    assert {"diffchaser_code: 2 failed", "4 seed inputs of 1 repetitions; scale: demo"} <= texts
    before = path.read_bytes()
    targets.figure(tmp_path, given, **STATED)
    assert path.read_bytes() == before
    with pytest.raises(QuantriftError, match="no such searches"):
        targets.figure(tmp_path, targets.given({"searches": {}}, DATASETS), **STATED)
