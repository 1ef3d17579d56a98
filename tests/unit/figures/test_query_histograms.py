"""Histograms of queries: every search has its place, and failures are counted."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from tests import made

from quantrift.base.errors import QuantriftError
from quantrift.data.kinds.embedded_digits import Settings as EmbeddedDigits
from quantrift.figures.kinds.query_histograms import bins

Row = Callable[..., dict[str, Any]]
DATASETS = {
    "digits": EmbeddedDigits.model_validate(
        {"kind": "embedded_digits", "title": "Digits", "class_names": list("0123456789")}
    )
}
STATED = {"kind": "query_histograms", "from": ["q"], "tools": ["triggerfinder_code", "diffchaser_code"]}


@pytest.fixture
def searched(tmp_path: Path, search: Row) -> Callable[..., Path]:
    """Writes searches of a tool: queries to success of each input, 0 for none of 1000."""

    def write(tool: str, *found: int) -> Path:
        rows = []
        for number, candidates in enumerate(found):
            once, size = int(candidates > 0), candidates or 1000
            reached = {"reached": once, "reached_distinct": once, "first_reached": candidates}
            dii = {"dii": once, "dii_distinct": once, "dii_memberships": once, "first_dii": candidates}
            counts = {"generated": size, "distinct": size, "valid": size, "memberships": size}
            rows.append(search(0, number, **counts, **reached, **dii))
        folder = tmp_path / "search" / "digits" / "lenet5" / "ptq_int8" / tool / "q"
        folder.mkdir(parents=True)
        path = folder / "seeds_000-000.searches.parquet"
        pd.DataFrame(rows).to_parquet(path)
        return path

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
    given = made.given({"searches": made.of_searches(files)}, DATASETS, titles=titles)
    path = made.figure(tmp_path, given, **STATED).with_suffix(".svg")
    texts = {element.text for element in ElementTree.parse(path).getroot().iter("{http://www.w3.org/2000/svg}text")}
    assert {"TriggerFinder", "diffchaser_code", "mean", "median", "Digits", "lenet5, 8 bits"} <= texts
    assert {"diffchaser_code: 2 failed", "4 seed inputs of 1 repetitions; scale: demo"} <= texts
    before = path.read_bytes()
    made.figure(tmp_path, given, **STATED)
    assert path.read_bytes() == before
    with pytest.raises(QuantriftError, match="no such searches"):
        made.figure(tmp_path, made.given({"searches": {}}, DATASETS), **STATED)
