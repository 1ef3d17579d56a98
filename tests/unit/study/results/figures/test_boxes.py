"""Box plots of run seeds."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.factories import datasets, targets

from quantrift.core.base.errors import QuantriftError

Write = Callable[..., Path]

DATASETS = {
    "sim_pavia": datasets.scene("salinas"),
    "sim_salinas": datasets.scene("salinas", "Fields (simulated)"),
}
PUBLISHED = "dataset,model,compression,baseline_dir\nsalinas,hybridsn,ptq_int8,0.0002\n"


def draw(
    folder: Path, metrics: list[Path], published: str | None = None, by: str = "tool", known: Any = DATASETS
) -> str:
    """All text of the figure."""
    settings = {"title": "DiR by tool", "from": ["rq1"], "published_as": {"random": "baseline"}, "by": by}
    papers, titles = targets.published(folder, published), {"random": "random sampling"}
    given = targets.given({"metrics": targets.of_metrics(metrics)}, known, published=papers, titles=titles)
    return " ".join(targets.texts(targets.figure(folder, given, kind="boxes", **settings)))


@pytest.fixture
def metrics(write_metrics: Write) -> list[Path]:
    """Two subjects; the second lacks one of the two tools."""
    return [
        write_metrics("random", [0, 1, 2]),
        write_metrics("pso_div", [5, 6, 9]),
        write_metrics("random", [0, 0, 1], dataset="sim_salinas"),
    ]


def test_figure_says_scale_size_units_and_what_is_simulated(tmp_path: Path, metrics: list[Path]) -> None:
    text = draw(tmp_path, metrics)
    assert {file.name for file in (tmp_path / "figures").iterdir()} == {"boxes.svg", "boxes.png"}
    for words in ("3 run seeds of 2 inputs; scale: demo", "City (simulated)", "Fields (simulated)", "random sampling"):
        assert words in text
    assert "divergence rate (%)" in text
    assert "published median" not in text


def test_a_tool_without_values_leaves_a_marked_place(tmp_path: Path, metrics: list[Path]) -> None:
    assert draw(tmp_path, metrics).count("no value") == 1


def test_published_medians_are_labelled_so(tmp_path: Path, metrics: list[Path]) -> None:
    assert "published median" in draw(tmp_path, metrics, PUBLISHED)


def test_equal_data_give_equal_files(tmp_path: Path, metrics: list[Path]) -> None:
    draw(tmp_path, metrics)
    before = [(tmp_path / "figures" / f"boxes{end}").read_bytes() for end in (".svg", ".png")]
    draw(tmp_path, metrics)
    assert before == [(tmp_path / "figures" / f"boxes{end}").read_bytes() for end in (".svg", ".png")]


def test_no_searches_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(QuantriftError, match="figure boxes: its experiments have no searches; name others in `from`"):
        draw(tmp_path, [])


SEEDS = [10, 11, 12, 13, 14, 15]


def compared(folder: Path) -> Any:
    """The tests beside a figure (a data frame), by rate."""
    return pd.read_csv(folder / "figures" / "boxes.tests.csv").set_index("rate")


def test_boxes_of_compressions_are_means_over_tools_and_their_tests_are_paired(
    write_metrics: Write, tmp_path: Path
) -> None:
    files = []
    for compression, more in (("ptq_int8", 0), ("qat_int8", 4)):
        for tool, start in (("random", 0), ("pso_div", 20)):
            dii = [count + start + more for count in SEEDS]
            files.append(write_metrics(tool, dii, compression=compression))
    text = draw(tmp_path, files, by="compression")
    row = compared(tmp_path).loc["dir"]
    assert row[["dataset", "model", "first", "second"]].tolist() == ["sim_pavia", "hybridsn", "ptq_int8", "qat_int8"]
    assert row[["paired", "run_seeds", "p"]].tolist() == [True, 6, 2 / 64]
    assert row["shift"] == pytest.approx(-4 / 200)
    # Of five rates the one that is shown is adjusted.
    assert compared(tmp_path)["p_holm"].dropna().tolist() == [2 / 64]
    assert "Mean of random sampling; pso_div" in text
    assert f"ptq_int8 over qat_int8: A12 {row['a12']:.2f}, p (Holm) {2 / 64:.2g}" in text


def test_boxes_of_datasets_are_compared_unpaired_and_the_papers_paired_p_stands_apart(
    write_metrics: Write, tmp_path: Path
) -> None:
    files = [write_metrics("random", SEEDS), write_metrics("random", [n - 10 for n in SEEDS], dataset="sim_salinas")]
    text = draw(tmp_path, files, by="dataset")
    row = compared(tmp_path).loc["dir"]
    assert row[["first", "second", "paired", "a12"]].tolist() == ["sim_pavia", "sim_salinas", False, 1]
    # 2 of the 924 ways to choose 6 of 12 are as extreme; of the 64 patterns of signs, 2.
    assert row[["p", "p_as_published"]].tolist() == pytest.approx([2 / 924, 2 / 64])
    assert pd.isna(row["rank_biserial"])
    assert "hybridsn \u00b7 ptq_int8" in text
    assert "City (simulated) over Fields (simulated): A12 1.00" in text


def test_a_box_that_lacks_a_tool_is_left_out(tmp_path: Path, metrics: list[Path]) -> None:
    text = draw(tmp_path, metrics, by="dataset")
    assert text.count("no value") == 1
    assert compared(tmp_path).empty


def test_run_seeds_that_share_inputs_have_no_p(write_metrics: Write, tmp_path: Path) -> None:
    files = [write_metrics("random", SEEDS), write_metrics("random", SEEDS, dataset="sim_salinas")]
    pd.read_csv(files[0]).assign(inputs_shared=1).to_csv(files[0], index=False)
    assert "no p" in draw(tmp_path, files, by="dataset")
    assert compared(tmp_path)[["p", "p_holm", "p_as_published"]].isna().all(axis=None)


BOUNDS = """by,first,second,dir_p_below,dir_a12_above
compression,ptq_int8,qat_int8,5.8e-09,0.84
dataset,salinas,other,1.5e-11,0.89
"""


def test_published_bounds_stand_beside_the_tests_of_their_boxes_and_rate(write_metrics: Write, tmp_path: Path) -> None:
    compressions = ("float", "qat_int8", "ptq_int8")
    text = draw(
        tmp_path, [write_metrics("random", SEEDS, compression=one) for one in compressions], BOUNDS, "compression"
    )
    tests = pd.read_csv(tmp_path / "figures" / "boxes.tests.csv")
    beside = tests[tests["published_p_below"].notna()]
    assert beside[["first", "second", "rate"]].to_numpy().tolist() == [["qat_int8", "ptq_int8", "dir"]]
    assert beside[["published_p_below", "published_a12_above"]].to_numpy().tolist() == [[5.8e-9, 0.84]]
    assert text.count("published: p < 5.8e-09, effect > 0.84") == 1


def test_published_bounds_of_scenes_are_found_by_the_published_names(write_metrics: Write, tmp_path: Path) -> None:
    files = [write_metrics("random", SEEDS), write_metrics("random", SEEDS, dataset="sim_salinas")]
    # Both scenes stand for the same one of the paper, which has no bound against itself.
    assert "published:" not in draw(tmp_path, files, BOUNDS, "dataset")
    known = DATASETS | {"sim_pavia": datasets.scene("other")}
    assert "published: p < 1.5e-11, effect > 0.89" in draw(tmp_path, files, BOUNDS, "dataset", known)


def test_published_numbers_of_tools_fit_no_other_boxes(tmp_path: Path, metrics: list[Path]) -> None:
    with pytest.raises(
        QuantriftError, match="a figure by dataset takes bounds of pairs of boxes, in columns by, first"
    ):
        draw(tmp_path, metrics, PUBLISHED, by="dataset")
