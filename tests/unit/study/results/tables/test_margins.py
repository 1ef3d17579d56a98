"""The table of margins: disagreements foretold and counted, beside the success of a tool."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.factories import datasets, searches, targets
from tests.factories.searches import first_attack

from quantrift.core.base.archive import write_arrays
from quantrift.core.base.paths import Paths
from quantrift.core.page.arrangement import Names
from quantrift.core.statistics.margin_files import FILE
from quantrift.study.results.tables.answer_words import Words
from quantrift.study.results.targets.kinds import load as kind

PUBLISHED = "dataset,model,compression,diffchaser_sr,diffchaser_seconds\nmnist,lenet5,ptq_int8,0.95,3103\n"
SUBJECTS = {"ptq_int8": 0.5, "tflite_float": 1e-6}


@pytest.fixture
def margins(tmp_path: Path) -> dict[tuple[str, ...], Path]:
    found: dict[tuple[str, ...], Path] = {}
    for compression, spread in SUBJECTS.items():
        rng = np.random.default_rng(0)
        margin, change = rng.exponential(5, 500), rng.normal(0, spread, 500)
        path = Paths(tmp_path).compressed("digits", "lenet5", compression) / FILE
        path.parent.mkdir(parents=True)
        arrays = {"margin": margin, "change": change, "differs": margin + change < 0, "clusters": np.arange(500)}
        write_arrays(path, arrays)
        found["digits", "lenet5", compression] = path
    return found


def make(folder: Path, files: dict[str, Any], **more: Any) -> tuple[pd.DataFrame, str]:
    papers = targets.published(folder, PUBLISHED)
    given = targets.given({"searches": {}, **files}, {"digits": datasets.digits("mnist")}, published=papers)
    stem = targets.table(folder, given, kind="margins", subjects=["all"], **more)
    return pd.read_csv(f"{stem}.csv").set_index("compression"), stem.with_suffix(".md").read_text()


def test_what_is_foretold_stands_beside_what_is_counted_and_rows_ascend_by_their_error(
    tmp_path: Path, margins: dict[tuple[str, ...], Path]
) -> None:
    table, text = make(tmp_path, {"margins": margins})
    assert "0.000" not in text
    assert table.index.tolist() == ["tflite_float", "ptq_int8"]
    assert table["error_median"].is_monotonic_increasing
    coarse, fine = table.loc["ptq_int8"], table.loc["tflite_float"]
    assert coarse["predicted_low"] <= coarse["counted"] <= coarse["predicted_high"]
    assert coarse["counted_low"] < coarse["counted"] < coarse["counted_high"]
    assert table["verdict"].tolist() == ["agrees", "agrees"]
    assert "Foretold and counted agree for 2 of 2 pairs" in text
    # Nothing is seen, and yet there is a rate.
    assert fine["counted"] == 0
    assert 0 < fine["predicted_low"] < fine["predicted"] < fine["predicted_high"] < 0.01
    assert table["sr"].isna().all()
    rows = table.reset_index().astype(object).fillna("").astype(str).to_dict("records")
    words = Words(kind("margins").COLUMNS, Names({}, frozenset()))
    first, second = kind("margins").answer(None, rows, words)
    assert first.startswith("digits · lenet5 · tflite_float: an error of ")
    assert "counted disagreements." in second


def test_a_tool_that_searched_a_subject_has_its_success_beside(
    tmp_path: Path, margins: dict[tuple[str, ...], Path]
) -> None:
    rows = [first_attack(0, number, 50 * (number < 3), 500, seconds=1) for number in range(4)]
    searched = searches.write(rows, Paths(tmp_path).searches("digits", "lenet5", "ptq_int8", "diffchaser", "q3"))
    files = {"margins": margins, "searches": targets.of_searches([searched])}
    table, _ = make(tmp_path, files, tool="diffchaser", **{"from": ["q3"]})
    beside = table[["inputs", "n_success", "sr", "published_sr"]].loc["ptq_int8"]
    assert [*beside] == [4, 3, 0.75, 0.95]
    assert table["sr"].isna().tolist() == [True, False]


def test_networks_of_few_levels_have_a_reason_in_place_of_a_rate(
    tmp_path: Path, margins: dict[tuple[str, ...], Path]
) -> None:
    [path] = [path for (*_, compression), path in margins.items() if compression == "ptq_int8"]
    rng = np.random.default_rng(1)
    arrays = {"margin": np.round(rng.exponential(5, 500)), "change": rng.normal(0, 0.5, 500)}
    write_arrays(path, arrays | {"differs": np.zeros(500, bool), "clusters": np.arange(500)})
    table, text = make(tmp_path, {"margins": margins})
    assert table["predicted"].isna().tolist() == [False, True]
    assert "few levels" in text


def faulty(kind: str) -> dict[str, np.ndarray]:
    """Margins of 5,000 inputs, and errors that depend on them, which the law takes for independent."""
    rng = np.random.default_rng(1)
    margin, change = rng.exponential(5, 5000), rng.normal(0, 0.001, 5000)
    if kind == "wherever the margin is":
        change[::10] = -2 * margin[::10]
    else:
        chosen = (margin < 0.7) & (rng.random(5000) < 0.2)
        change[chosen] = -1.2 * margin[chosen]
    return {"margin": margin, "change": change, "differs": margin + change < 0, "clusters": np.arange(5000)}


@pytest.mark.parametrize(
    ("kind", "verdicts", "said"),
    [
        # Errors larger than the margins near the boundary: the law does not hold, and nothing is judged.
        ("wherever the margin is", ["agrees", ""], "agree for 1 of 1 pairs"),
        ("where the margin is small", ["agrees", "differs"], "agree for 1 of 2 pairs"),
    ],
)
def test_a_count_that_the_law_does_not_foretell_differs_or_is_not_judged(
    kind: str, verdicts: list[str], said: str, tmp_path: Path, margins: dict[tuple[str, ...], Path]
) -> None:
    [path] = [path for (*_, compression), path in margins.items() if compression == "ptq_int8"]
    write_arrays(path, faulty(kind))
    table, text = make(tmp_path, {"margins": margins})
    assert table["verdict"].fillna("").loc[["tflite_float", "ptq_int8"]].tolist() == verdicts
    assert bool(table["refused"].notna()["ptq_int8"]) == (not verdicts[1])
    assert said in text


def test_a_tool_without_experiments_is_refused(tmp_path: Path, margins: dict[tuple[str, ...], Path]) -> None:
    with pytest.raises(ValueError, match="from and tool go together"):
        make(tmp_path, {"margins": margins}, tool="diffchaser")
