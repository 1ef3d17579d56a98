"""The comparison with a baseline, on six run seeds whose rates are worked out by hand."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.factories import datasets, targets

from quantrift.core.base.errors import QuantriftError
from quantrift.study.results.tables import finished_table as tables

Write = Callable[..., Path]

DATASETS = {
    "sim_pavia": datasets.scene("pavia_university", "Pavia | simulated <scene>"),
    "sim_salinas": datasets.scene("salinas", "Salinas-like"),
}
PUBLISHED = """dataset,model,compression,baseline_dir,baseline_vr,diverget_dir,diverget_vr
pavia_university,hybridsn,ptq_int8,0.0008,0.0366,0.0843,0.6777
salinas,ssrn,qat_int8,0.0033,,0.1827,0.7072
"""
RANDOM, PSO, GA = [0, 1, 2, 3, 4, 5], [10, 11, 12, 13, 14, 15], [20, 21, 22, 23, 24, 25]


def make(
    folder: Path,
    metrics: list[Path],
    *,
    groups: dict[str, list[str]] | None = None,
    published: str | None = PUBLISHED,
    **more: Any,
) -> Any:
    """The CSV (a data frame) of a table made from ``metrics``, indexed by dataset and tool.

    Of a group there is diverget = PSO and GA.
    """
    papers = targets.published(folder, published)
    given = targets.given({"metrics": targets.of_metrics(metrics)}, DATASETS, published=papers)
    stated: dict[str, Any] = {
        "from": ["rq1"],
        "baseline": "random",
        "groups": groups or {"diverget": ["pso_div", "ga_div"]},
        **more,
    }
    stem = folder / "tables" / "compare_to_baseline"
    stem.parent.mkdir(exist_ok=True)
    tables.make({"kind": stem.name, "title": "Random sampling", **stated}, given, stem, {"commit": "abc"})
    return pd.read_csv(f"{stem}.csv").set_index(["dataset", "tool"]).sort_index()


@pytest.fixture
def metrics(write_metrics: Write) -> list[Path]:
    """Baseline, PSO and GA on one subject."""
    tools = {"random": RANDOM, "pso_div": PSO, "ga_div": GA}
    return [write_metrics(tool, dii) for tool, dii in tools.items()]


def test_a_cell_is_the_median_over_run_seeds_and_of_a_group_the_mean_of_medians(
    tmp_path: Path, metrics: list[Path]
) -> None:
    table = make(tmp_path, metrics).loc["sim_pavia"]
    # Two inputs of 100 candidates: the medians 2.5, 12.5 and 22.5 are out of 200.
    assert table["dir"].to_dict() == pytest.approx(
        {"random": 0.0125, "pso_div": 0.0625, "ga_div": 0.1125, "diverget": 0.0875}
    )
    assert table["vr"].tolist() == [0.5] * 4
    assert table["queries"].tolist() == [50.0] * 4
    assert table["run_seeds"].tolist() == [6] * 4
    assert table["inputs"].tolist() == [2] * 4


def test_tests_are_paired_over_run_seeds_and_oriented_towards_the_row(tmp_path: Path, metrics: list[Path]) -> None:
    table = make(tmp_path, metrics).loc["sim_pavia"]
    row = table.loc["diverget"]
    assert row[["p", "p_min"]].tolist() == [2 / 2**6] * 2
    assert row[["a12", "rank_biserial"]].tolist() == [1.0, 1.0]
    assert row["magnitude"] == "large"
    # Each run seed's mean of PSO and GA lies 15 of 200 above the baseline.
    assert row[["shift", "shift_low", "shift_high"]].tolist() == pytest.approx([0.075] * 3)
    assert row[["vr_p", "vr_a12", "vr_shift"]].tolist() == [1.0, 0.5, 0.0]
    assert table.loc["random", ["p", "a12", "pairs"]].isna().all()


def test_the_whole_table_is_the_family_of_holm(tmp_path: Path, metrics: list[Path]) -> None:
    table = make(tmp_path, metrics).loc["sim_pavia"]
    # Three rows are tested on four rates: 12 tests, the smallest p times 12.
    assert table.loc["pso_div", ["p_holm", "dir_unique_p_holm", "dir_valid_p_holm"]].tolist() == [12 / 32] * 3
    assert table.loc["pso_div", "vr_p_holm"] == 1.0


def test_planned_tests_are_a_family_of_their_own_and_the_others_have_no_adjusted_p(
    tmp_path: Path, metrics: list[Path]
) -> None:
    planned = [{"tool": "diverget", "rate": "dir"}, {"tool": "diverget", "rate": "dir_valid"}]
    table = make(tmp_path, metrics, planned=planned).loc["sim_pavia"]
    assert table.loc["diverget", ["p_holm", "dir_valid_p_holm"]].tolist() == [2 * 2 / 64] * 2
    assert table.loc["diverget", ["dir_unique_p_holm", "vr_p_holm"]].isna().all()
    assert table.loc["pso_div", ["p", "p_holm"]].isna().tolist() == [False, True]


def test_a_group_of_one_tool_asks_the_question_of_that_tool_once(tmp_path: Path, metrics: list[Path]) -> None:
    table = make(tmp_path, metrics[:2], groups={"diverget": ["pso_div"]}).loc["sim_pavia"]
    assert table.loc[["pso_div", "diverget"], "p_holm"].tolist() == [4 / 32] * 2


def test_a_group_with_a_missing_tool_stays_empty(tmp_path: Path, metrics: list[Path]) -> None:
    table = make(tmp_path, metrics[:2]).loc["sim_pavia"]
    assert table.index.tolist() == ["diverget", "pso_div", "random"]
    assert table.loc["diverget", ["run_seeds", "dir", "sr", "p", "pairs", "scale"]].isna().all()
    assert table.loc["diverget", "published_dir"] == 0.0843


def test_without_the_baseline_its_row_is_empty_and_nothing_is_tested(tmp_path: Path, metrics: list[Path]) -> None:
    table = make(tmp_path, metrics[1:]).loc["sim_pavia"]
    assert table.loc["random", ["dir", "run_seeds"]].isna().all()
    assert table["p"].isna().all()
    assert table.loc["pso_div", "dir"] == 0.0625


def test_published_numbers_stand_in_their_own_columns_only(tmp_path: Path, metrics: list[Path]) -> None:
    table = make(tmp_path, metrics)
    assert table.loc[("sim_pavia", "random"), ["published_dir", "published_vr"]].tolist() == [0.0008, 0.0366]
    assert table.loc[("sim_pavia", "pso_div"), ["published_dir", "published_vr"]].isna().all()
    foreign = table.loc["salinas"]
    assert foreign.loc["diverget", ["model", "compression", "published_dir"]].tolist() == ["ssrn", "qat_int8", 0.1827]
    ours = [name for name in table if name not in ("model", "compression") and not name.startswith("published_")]
    assert foreign[ours].isna().all(axis=None)
    assert pd.isna(foreign.loc["random", "published_vr"])
    assert "pavia_university" not in table.index.get_level_values("dataset")


def test_a_published_column_of_no_tool_or_group_is_an_error(tmp_path: Path, metrics: list[Path]) -> None:
    with pytest.raises(QuantriftError, match=r"'divreget_dir'.*did you mean 'diverget_dir'"):
        make(tmp_path, metrics, published=PUBLISHED.replace("diverget_dir", "divreget_dir"))


def test_run_seeds_that_share_inputs_get_no_p(tmp_path: Path, metrics: list[Path]) -> None:
    for path in metrics:
        pd.read_csv(path).assign(inputs_shared=1).to_csv(path, index=False)
    table = make(tmp_path, metrics).loc["sim_pavia"]
    assert table[["p", "p_holm", "p_as_published", "shift_low"]].isna().all(axis=None)
    assert table.loc["pso_div", "a12"] == 1.0
    assert "No p-value is given" in (tmp_path / "tables" / "compare_to_baseline.md").read_text()


def test_two_protocols_on_one_subject_are_refused(write_metrics: Write, tmp_path: Path, metrics: list[Path]) -> None:
    other = write_metrics("random_feasible", RANDOM, protocol="rq2")
    with pytest.raises(QuantriftError, match="searched under rq2, other tools under rq1"):
        make(tmp_path, [*metrics, other])


def test_columns_come_in_the_order_other_tools_rely_on(tmp_path: Path, metrics: list[Path]) -> None:
    make(tmp_path, metrics)
    header = (tmp_path / "tables" / "compare_to_baseline.csv").read_text().splitlines()[0].split(",")
    first = ["dataset", "model", "compression", "tool", "run_seeds", "inputs"]
    first += ["dir", "dir_unique", "dir_valid", "sr", "vr", "queries"]
    assert header[: len(first)] == first
    assert header.index("p") < header.index("published_dir")
    assert not [name for name in header if "second" in name]


def test_pages_for_people_name_scale_run_seeds_and_inputs_and_escape_titles(
    tmp_path: Path, metrics: list[Path]
) -> None:
    make(tmp_path, metrics)
    text = targets.markdown(tmp_path / "tables" / "compare_to_baseline")
    assert "Scale: demo. Run seeds: 6. Inputs of each run seed: 2." in text
    assert "Pavia \\| simulated \\<scene>" in text
    assert "| 1.25 [" in text


@pytest.mark.parametrize(
    ("dii", "dir_cells", "sr_cells"),
    [
        ([0] * 6, ("0.00 [0.00, 24.25]", "0.00"), ("0.00 [0.00, 24.25]", "0.00")),
        (
            [0, 0, 0, 0, 0, 6],
            ("0.50 (one seed input)", "0.00"),
            ("8.33 [1.49, 35.39] (one seed input)", "0.00"),
        ),
        (
            [0, 0, 0, 0, 6, 6],
            ("1.00 (two seed inputs)", "0.00"),
            ("16.67 [4.70, 44.80] (two seed inputs)", "0.00"),
        ),
        (
            [0, 0, 0, 6, 6, 6],
            ("1.50 [0.00, 3.50]", "1.50 [0.00, 3.00]"),
            ("25.00 [8.89, 53.23]", "25.00 [0.00, 50.00]"),
        ),
        ([6], ("3.00 (one seed input)", "3.00"), ("50.00 [9.45, 90.55] (one seed input)", "50.00")),
    ],
)
def test_each_estimate_stands_with_its_own_interval_or_with_the_few_inputs_it_rests_on(
    write_metrics: Write, tmp_path: Path, dii: list[int], dir_cells: tuple[str, str], sr_cells: tuple[str, str]
) -> None:
    table = make(tmp_path, [write_metrics("random", dii)], published=None)
    lines = targets.markdown(tmp_path / "tables" / "compare_to_baseline").splitlines()
    heads, _, row, *_ = (line.strip("| ").split(" | ") for line in lines if line.startswith("|"))
    shown = dict(zip(heads, row, strict=True))
    assert (shown["DiR pooled %"], shown["DiR %"]) == dir_cells
    assert (shown["SR pooled %"], shown["SR %"]) == sr_cells
    cells = table.loc[("sim_pavia", "random")]
    words = {1: "one seed input", 2: "two seed inputs"}.get(sum(count > 0 for count in dii), "")
    assert cells[["dir_rests_on", "sr_rests_on"]].fillna("").tolist() == [words] * 2


def test_equal_inputs_give_equal_bytes_and_provenance_names_them(tmp_path: Path, metrics: list[Path]) -> None:
    folder = tmp_path / "tables"
    make(tmp_path, metrics)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    make(tmp_path, metrics)
    assert before == {path.name: path.read_bytes() for path in folder.iterdir()}
    assert set(before) == {
        f"compare_to_baseline{end}" for end in (".csv", ".columns.json", ".md", ".timing.csv", ".provenance.json")
    }
    stated = json.loads(before["compare_to_baseline.provenance.json"])
    assert stated["commit"] == "abc"
    assert set(stated["files"]) == {
        *(f"metrics/sim_pavia/hybridsn/ptq_int8/{tool}/rq1.csv" for tool in ("random", "pso_div", "ga_div")),
        "published/published.csv",
    }


def test_subjects_keep_the_order_they_are_given_in(write_metrics: Write, tmp_path: Path, metrics: list[Path]) -> None:
    other = write_metrics("random", RANDOM, dataset="sim_salinas")
    make(tmp_path, [other, *metrics], published=None)
    rows = pd.read_csv(tmp_path / "tables" / "compare_to_baseline.csv")
    assert rows["dataset"].tolist() == ["sim_salinas"] * 2 + ["sim_pavia"] * 4
    assert rows["tool"].tolist() == ["random", "diverget", "random", "pso_div", "ga_div", "diverget"]
