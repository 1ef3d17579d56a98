"""Success rates of tools over seed inputs, by hand."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest
from tests import made

from quantrift.base.errors import QuantriftError
from quantrift.config.datasets import EmbeddedDigits
from quantrift.figures.kinds import success_curves
from quantrift.metrics.intervals import wilson
from quantrift.tables.kinds import success_rates

Row = Callable[..., dict[str, Any]]
DATASETS = {
    "digits": EmbeddedDigits.model_validate(
        {"kind": "embedded_digits", "title": "Digits", "published_as": "mnist", "class_names": list("0123456789")}
    )
}
PUBLISHED = """dataset,model,compression,diffchaser_sr,deepxplore_sr,diffchaser_seconds,deepxplore_seconds
mnist,lenet5,ptq_int8,0.95,0.06,3103,11380
mnist,lenet1,ptq_int8,0.92,0,3160,12000
"""

TITLES = {"diffchaser": "DiffChaser", "diffchaser_code": "as the code"}


@pytest.fixture
def searched(tmp_path: Path, search: Row) -> Callable[..., Path]:
    """Writes searches of a tool: candidates to success of each input, 0 for none of 500; the first input differs."""

    def write(tool: str, *found: int, first_input: int = 0, compression: str = "ptq_int8") -> Path:
        rows = []
        for number, candidates in enumerate(found, start=first_input):
            once = int(candidates > 0)
            reached = {"reached": once, "reached_distinct": once, "first_reached": candidates}
            dii = {"dii": once, "dii_distinct": once, "dii_memberships": once, "first_dii": candidates}
            size = candidates or 500
            counts = {"generated": size, "distinct": size, "valid": size, "memberships": size}
            seconds = {"seconds": size / 10, "seed_disagrees": number == 0}
            rows.append(search(0, number, **counts, **reached, **dii, **seconds))
        folder = tmp_path / "search" / "digits" / "lenet5" / compression / tool / "q2"
        folder.mkdir(parents=True)
        path = folder / "seeds_000-000.searches.parquet"
        pd.DataFrame(rows).to_parquet(path)
        return path

    return write


def make(
    folder: Path, files: list[Path], published: str = PUBLISHED, datasets: Any = DATASETS, **target: Any
) -> tuple[Any, Any]:
    """The CSV and the timing CSV, by network and tool."""
    (folder / "published.csv").write_text(published)
    searches = {path.parts[-6:-1]: path for path in files}
    given = made.given({"searches": searches}, datasets, published=[folder / "published.csv"], titles=TITLES)
    stem = made.table(folder, given, kind="success_rates", **{"from": ["q2"], "timeout": 20, **target})
    found, times = (
        pd.read_csv(f"{stem}{end}").set_index(["dataset", "model", "tool"]) for end in (".csv", ".timing.csv")
    )
    return found, times


def test_failures_count_in_the_rate_and_are_charged_in_full(tmp_path: Path, searched: Callable[..., Path]) -> None:
    found, times = make(tmp_path, [searched("diffchaser", 0, 100, 300, 200)])
    row = found.loc[("digits", "lenet5", "diffchaser")]
    assert row[["inputs", "differing_inputs", "n_success"]].tolist() == [4, 1, 3]
    assert row[["sr", "sr_low", "sr_high"]].tolist() == pytest.approx([0.75, *wilson(3, 4)])
    assert row[["to_success_median", "spent_average"]].tolist() == [200, 275]
    assert row["published_sr"] == 0.95
    # 10, 20 and 30 seconds succeeded, 50 failed; within the published 20 s two of four.
    seconds = times.loc[("digits", "lenet5", "diffchaser")]
    assert seconds[list(success_rates.TIMES)].tolist() == [110, 20, 0.5, 3103]


def test_one_published_number_may_stand_beside_two_tools(tmp_path: Path, searched: Callable[..., Path]) -> None:
    files = [searched("diffchaser", 5, 5), searched("diffchaser_code", 5, 5)]
    found, times = make(tmp_path, files, published_as={"diffchaser_code": "diffchaser"})
    assert found.loc[("digits", "lenet5"), "published_sr"].tolist() == [0.95, 0.95, 0.06]
    assert times.loc[("digits", "lenet5", "diffchaser_code"), "published_seconds"] == 3103


def test_pairs_of_tools_are_tested_on_the_same_inputs(tmp_path: Path, searched: Callable[..., Path]) -> None:
    files = [searched("diffchaser", 0, *[50] * 8), searched("deepxplore", 0, 0, 90, *[0] * 6)]
    found, _ = make(tmp_path, files)
    row = found.loc[("digits", "lenet5", "diffchaser")]
    assert row[["against", "n_alone", "n_other_alone"]].tolist() == ["deepxplore", 7, 0]
    assert row[["p", "p_holm"]].tolist() == pytest.approx([2 / 2**7, 2 / 2**7])
    assert found.loc[("digits", "lenet5", "deepxplore")][["sr", "published_sr"]].tolist() == pytest.approx(
        [1 / 9, 0.06]
    )


def test_tools_and_subjects_that_only_the_paper_has_are_empty(tmp_path: Path, searched: Callable[..., Path]) -> None:
    found, times = make(tmp_path, [searched("diffchaser", 5, 5)])
    for key in (("digits", "lenet5", "deepxplore"), ("mnist", "lenet1", "diffchaser")):
        assert found.loc[key][["sr", "inputs", "p", "scale"]].isna().all()
        assert times.loc[key, list(success_rates.TIMES)].isna().tolist() == [True, True, True, False]
    assert found.loc[("mnist", "lenet1", "diffchaser"), "published_sr"] == 0.92
    assert "second" not in (tmp_path / "tables" / "success_rates.md").read_text()


def test_rows_of_the_paper_alone_bear_the_name_of_the_tool_that_its_other_numbers_stand_beside(
    tmp_path: Path, searched: Callable[..., Path]
) -> None:
    found, times = make(tmp_path, [searched("diffchaser_code", 5, 5)], published_as={"diffchaser_code": "diffchaser"})
    assert found.loc[("mnist", "lenet1", "diffchaser_code"), "published_sr"] == 0.92
    assert times.loc[("mnist", "lenet1", "diffchaser_code"), "published_seconds"] == 3160
    assert ("mnist", "lenet1", "diffchaser") not in found.index
    shown = (tmp_path / "tables" / "success_rates.md").read_text()
    # "DiffChaser" is the name of another tool of ours, the one with that id.
    assert "| mnist | lenet1 | ptq_int8 | as the code |" in shown
    assert "| DiffChaser |" not in shown


def test_data_of_ones_own_get_no_rows_of_the_papers_data(tmp_path: Path, searched: Callable[..., Path]) -> None:
    files = [searched("diffchaser", 5, 5)]
    cifar = PUBLISHED + "cifar10,lenet5,ptq_int8,0.82,0,6755,12000\n"
    filed, _ = make(tmp_path, files, cifar)
    assert {dataset for dataset, _, _ in filed.index} == {"digits", "mnist"}
    own = {"digits": DATASETS["digits"].model_copy(update={"published_as": None})}
    found, times = make(tmp_path, files, cifar, datasets=own)
    assert found.index.tolist() == times.index.tolist() == [("digits", "lenet5", "diffchaser")]


def test_tools_that_started_elsewhere_are_not_compared(tmp_path: Path, searched: Callable[..., Path]) -> None:
    files = [searched("diffchaser", 5, 5), searched("deepxplore", 5, 5, first_input=1)]
    with pytest.raises(QuantriftError, match="diffchaser and deepxplore started from different inputs"):
        make(tmp_path, files)
    with pytest.raises(QuantriftError, match="no searches"):
        make(tmp_path, [])
    with pytest.raises(QuantriftError, match="column 'diffchaser_dir' ends with none of"):
        make(tmp_path, files[:1], PUBLISHED.replace("diffchaser_sr", "diffchaser_dir"))


def test_a_curve_steps_where_searches_succeed_and_ends_at_the_longest_one(searched: Callable[..., Path]) -> None:
    from quantrift.metrics import disagreements

    searches = disagreements.load(made.of_searches([searched("diffchaser", 100, 0, 300, 100)]))
    places, shares = success_curves._steps(searches, 50.0, 500.0)
    assert places.tolist() == [50, 100, 300, 500]
    assert shares.tolist() == [0, 0.5, 0.75, 0.75]
    places, shares = success_curves._steps(searches, 100.0, 500.0)
    assert (places.tolist(), shares.tolist()) == ([100, 300, 500], [0.5, 0.75, 0.75])


def test_curves_name_their_compressions_and_mark_what_is_published(
    tmp_path: Path, searched: Callable[..., Path]
) -> None:
    files = [searched("diffchaser", 9, 0, 7), searched("diffchaser", 0, 0, 0, compression="tflite_float")]
    (tmp_path / "published.csv").write_text(PUBLISHED)
    stated = {"kind": "success_curves", "title": "Curves", "from": ["q3"]}
    papers, titles = [tmp_path / "published.csv"], {"tflite_float": "converted"}
    given = made.given({"searches": made.of_searches(files)}, DATASETS, published=papers, titles=titles)
    path = made.figure(tmp_path, given, **stated).with_suffix(".svg")
    texts = {element.text for element in ElementTree.parse(path).getroot().iter("{http://www.w3.org/2000/svg}text")}
    assert {"converted", "ptq_int8", "published", "3 seed inputs; scale: demo"} <= texts
    before = path.read_bytes()
    made.figure(tmp_path, given, **stated)
    assert path.read_bytes() == before
