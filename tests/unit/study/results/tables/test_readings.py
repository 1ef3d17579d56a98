"""Readings of open settings by their distance from printed rates, on rates that are worked out by hand."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.factories import configurations, datasets, searches, targets

from quantrift.core.base.errors import QuantriftError
from quantrift.core.statistics.reading_distance import cohens_h

DATASETS = {"sim_pavia": datasets.scene("pavia_university")}
SUBJECTS = [("sim_pavia", model, "ptq_int8") for model in ("hybridsn", "ssrn")]
DEMO = configurations.of_scale()
PRINTED = """dataset,model,compression,baseline_vr,pso_sr
pavia_university,hybridsn,ptq_int8,0.04,0.5
pavia_university,ssrn,ptq_int8,0.04,0.3
salinas,ssrn,ptq_int8,0.9,0.9
"""
POOLED = """dataset,model,compression,ga_vr,ga_dir
pavia_university,,ptq_int8,0.6,0.2
"""
SHARES = st.floats(0, 1)


def rates(vr: float, sr: float, **counts: int) -> list[dict[str, Any]]:
    """Searches of two run seeds of five inputs; a success has three difference-inducing inputs among its candidates."""
    rows = []
    for number in range(10):
        found = 3 * (number < round(10 * sr))
        row = searches.found(number // 5, number, found) | {"valid": round(100 * vr)}
        rows.append(row | {"valid_memberships": row["valid"]} | counts)
    return rows


def make(
    folder: Path, found: dict[tuple[str, str], list[dict[str, Any]]], printed: list[dict[str, str]], **more: Any
) -> pd.DataFrame:
    """The CSV of the table, of tools that found the same on both subjects."""
    files: dict[Any, Path] = {}
    for subject in SUBJECTS:
        for tool, protocol in found:
            written = searches.write(found[tool, protocol], folder / "_".join((*subject, tool, protocol)))
            files[*subject, tool, protocol] = written
    (folder / "published.csv").write_text(PRINTED)
    (folder / "pooled.csv").write_text(POOLED)
    protocols = {name: {"patience": 6 if name == "patient" else None} for _, name in found}
    tools = {tool: DEMO.tools[tool].model_dump(mode="json") for tool, _ in found}
    paths = [folder / "published.csv", folder / "pooled.csv"]
    given = targets.given(
        {"searches": files}, DATASETS, published=paths, stated={"tools": tools, "protocols": protocols}, **more
    )
    settings = {"default": {"tool": "pso_div", "protocol": "plain"}, "printed": printed, "from": ["readings"]}
    stem = targets.table(folder, given, kind="readings", **settings)
    return pd.read_csv(f"{stem}.csv", keep_default_na=False, na_values=[""])


def plain(**found: list[dict[str, Any]]) -> dict[tuple[str, str], list[dict[str, Any]]]:
    return {(tool, "plain"): rows for tool, rows in found.items()}


PSO_SR = [{"searcher": "pso", "metric": "sr", "file": "published.csv", "column": "pso_sr"}]
SAME = {"random": rates(0.04, 0.1), "ga_div": rates(0.3, 0.3)}


@given(SHARES, SHARES)
def test_equal_shares_are_at_no_distance_and_distances_are_symmetric(one: float, other: float) -> None:
    assert cohens_h(one, one) == 0
    assert cohens_h(one, other) == cohens_h(other, one) <= math.pi + 1e-12


@given(SHARES, SHARES, SHARES)
def test_a_share_between_two_is_nearer_to_each_than_they_are_to_each_other(a: float, b: float, c: float) -> None:
    low, middle, high = sorted((a, b, c))
    assert cohens_h(low, middle) <= cohens_h(low, high) + 1e-12
    assert cohens_h(middle, high) <= cohens_h(low, high) + 1e-12


def test_the_distance_is_the_mean_of_cohens_h_and_the_nearest_reading_stands_first(tmp_path: Path) -> None:
    table = make(tmp_path, plain(**SAME, pso_div=rates(0.2, 0.9), pso_zero=rates(0.2, 0.4)), PSO_SR)
    assert table["pso_tool"].tolist() == ["pso_zero", "pso_div"]
    assert table["infeasible"].tolist() == ["zero", "start"]
    assert table["is_default"].tolist() == [False, True]
    for distance, sr in zip(table["distance"], (0.4, 0.9), strict=True):
        expected = np.mean([abs(2 * math.asin(sr**0.5) - 2 * math.asin(paper**0.5)) for paper in (0.5, 0.3)])
        assert distance == pytest.approx(expected)
    assert (table["distance_low"] <= table["distance"]).all()
    assert (table["distance"] <= table["distance_high"]).all()
    assert table["published_pso_sr"].tolist() == pytest.approx([0.4, 0.4])
    assert table["nearest_share"].sum() == pytest.approx(1)


def test_the_answer_names_the_nearest_reading_and_how_far_that_of_all_other_tables_is(
    tmp_path: Path, answers_say_what_their_tables_say: list[str]
) -> None:
    make(tmp_path, plain(**SAME, pso_div=rates(0.2, 0.9), pso_zero=rates(0.2, 0.4)), PSO_SR)
    nearest, default = answers_say_what_their_tables_say
    assert nearest.startswith("Of 2 readings the nearest to the published rates has peak of the PSNR ")
    assert "infeasible best zero" in nearest
    assert default.startswith("The reading of all other tables is at ")


def test_every_searcher_and_metric_weighs_the_same_however_many_subjects_it_is_printed_of(tmp_path: Path) -> None:
    printed = [*PSO_SR, {"searcher": "ga", "metric": "vr", "file": "pooled.csv", "column": "ga_vr"}]
    row = make(tmp_path, plain(**SAME, pso_div=rates(0.2, 0.4)), printed).iloc[0]
    of_pso = np.mean([float(cohens_h(0.4, paper)) for paper in (0.5, 0.3)])
    assert row["distance"] == pytest.approx((of_pso + float(cohens_h(0.3, 0.6))) / 2)
    cells = pd.read_csv(tmp_path / "tables" / "readings.cells.csv", keep_default_na=False)
    assert cells[["searcher", "model", "value", "published_value"]].to_numpy().tolist() == [
        ["pso", "hybridsn", 0.4, 0.5],
        ["pso", "ssrn", 0.4, 0.3],
        ["ga", "", 0.3, 0.6],
    ]


def test_survivors_are_counted_where_that_comes_nearest(tmp_path: Path) -> None:
    # Of 200 memberships 120 are valid ones, of 100 evaluations 30; 3 of 100 evaluations disagree, or 40 of 200.
    genetic = rates(0.3, 1, memberships=200, valid_memberships=120, dii_memberships=40)
    found = plain(random=rates(0.04, 0.1), pso_div=rates(0.2, 0.4), ga_div=genetic)
    printed = [
        {"searcher": "ga", "metric": metric, "file": "pooled.csv", "column": f"ga_{metric}"} for metric in ("vr", "dir")
    ]
    row = make(tmp_path, found, printed).iloc[0]
    assert row["survivors"] == "each generation"
    assert row["distance"] == pytest.approx(0)
    assert row[["ga_vr", "ga_vr_each", "ga_dir", "ga_dir_once"]].tolist() == [0.3, 0.6, 0.2, 0.03]
    assert row["distance_here"] == pytest.approx(float(cohens_h(0.3, 0.6)) / 2)


def test_a_reading_joins_the_tools_that_read_the_settings_alike(tmp_path: Path) -> None:
    found = plain(
        **SAME,
        random_patch_range=rates(0.2, 0.1),
        pso_div=rates(0.2, 0.4),
        pso_patch_range=rates(0.2, 0.4),
        ga_patch_range=rates(0.4, 0.4),
    )
    found |= {("pso_div", "patient"): rates(0.2, 0.1), ("ga_div", "patient"): rates(0.2, 0.2)}
    table = make(tmp_path, found, PSO_SR).set_index(["peak", "stop"])
    assert table["random_vr"].to_dict() == {
        ("patch_max", "none"): 0.04,
        # Random sampling never stops early.
        ("patch_max", "patience 6"): 0.04,
        ("patch_range", "none"): 0.2,
    }
    assert table["ga_vr"].to_dict() == {
        ("patch_max", "none"): 0.3,
        ("patch_max", "patience 6"): 0.2,
        ("patch_range", "none"): 0.4,
    }


def test_a_search_without_partners_is_left_out_and_named(tmp_path: Path) -> None:
    found = plain(**SAME, pso_div=rates(0.2, 0.4), pso_patch_range=rates(0.2, 0.4))
    table = make(tmp_path, found, PSO_SR, titles={"pso_patch_range": "PSO, range"})
    assert table["pso_tool"].tolist() == ["pso_div"]
    assert "reads the settings alike: PSO, range under plain." in targets.markdown(tmp_path / "tables" / "readings")


def test_the_nearest_reading_is_nearest_in_most_resamples(tmp_path: Path) -> None:
    table = make(tmp_path, plain(**SAME, pso_div=rates(0.2, 1), pso_zero=rates(0.2, 0.4)), PSO_SR)
    assert table["nearest_share"].is_monotonic_decreasing
    assert table["nearest_share"].iloc[0] > 0.9
    text = targets.markdown(tmp_path / "tables" / "readings")
    assert "Nearest: peak of the PSNR patch_max, ranges full, distortions paper, infeasible best zero" in text
    assert "Default: number 2 of 2" in text


def test_tools_that_started_from_other_inputs_are_refused(tmp_path: Path) -> None:
    other = [row | {"input": row["input"] + 1, "cluster": row["cluster"] + 1} for row in rates(0.3, 0.3)]
    with pytest.raises(QuantriftError, match="ga_div under plain started from other inputs"):
        make(tmp_path, plain(random=rates(0.04, 0.1), pso_div=rates(0.2, 0.4), ga_div=other), PSO_SR)


def test_records_of_an_earlier_version_are_refused(tmp_path: Path) -> None:
    old = [{name: value for name, value in row.items() if name != "valid_memberships"} for row in rates(0.3, 0.3)]
    with pytest.raises(QuantriftError, match="has no column 'valid_memberships'.*search again"):
        make(tmp_path, plain(random=rates(0.04, 0.1), pso_div=rates(0.2, 0.4), ga_div=old), PSO_SR)


def test_without_a_printed_number_of_the_subjects_there_is_no_table(tmp_path: Path) -> None:
    printed = [{"searcher": "pso", "metric": "vr", "file": "pooled.csv", "column": "pso_vr"}]
    with pytest.raises(QuantriftError, match="the paper publishes no number of its subjects"):
        make(tmp_path, plain(**SAME, pso_div=rates(0.2, 0.4)), printed)
