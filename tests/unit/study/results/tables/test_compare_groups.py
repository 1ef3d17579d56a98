"""Groups of tools side by side, on six run seeds whose rates are worked out by hand."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.factories import datasets, targets

from quantrift.core.base.errors import QuantriftError

Write = Callable[..., Path]

DATASETS = {
    "sim_pavia": datasets.scene("pavia_university"),
    "sim_salinas": datasets.scene("salinas", "Fields (simulated)"),
}
PUBLISHED = """dataset,model,compression,pso_dir,pso_vr,ga_dir,ga_vr,pso_p_below
pavia_university,,ptq_int8,0.1628,0.8304,0.1576,0.6005,0.01
salinas,,qat_int8,0.1132,0.7998,0.1664,0.5907,
,,,0.14,,0.2,,
"""
# Difference-inducing inputs of 200 candidates in each run seed.
PSO, GA, LONG = [20, 21, 22, 23, 24, 25], [10, 11, 12, 13, 14, 15], [30, 31, 32, 33, 34, 35]
GROUPS: dict[str, Any] = {"pso": ["pso_div"], "ga": ["ga_div"]}


def make(
    folder: Path,
    metrics: list[Path],
    *,
    groups: dict[str, Any] | None = None,
    rows: list[str] | None = None,
    shown: list[str] | None = None,
    published: str = "",
    **more: Any,
) -> pd.DataFrame:
    """The CSV of a table of groups."""
    stated = {"from": ["rq2"], "groups": groups or GROUPS, "rows": rows} | ({"metrics": shown} if shown else {}) | more
    papers, titles = targets.published(folder, published), {"ga_div": "GA | wide"}
    given = targets.given({"metrics": targets.of_metrics(metrics)}, DATASETS, published=papers, titles=titles)
    stem = targets.table(folder, given, kind="compare_groups", **stated)
    return pd.read_csv(f"{stem}.csv", dtype={"against": str})


def cell(table: pd.DataFrame, tool: str, against: str | None, **subject: str) -> Any:
    """The one row of a group, a rival and a subject, whose keys are empty where they are not given."""
    keys = {key: subject.get(key, "") for key in ("dataset", "model", "compression")}
    keys |= {"tool": tool, "against": against or ""}
    found = table.fillna(dict.fromkeys(keys, ""))
    found = found[(found[list(keys)] == list(keys.values())).all(axis=1)]
    assert len(found) == 1
    return found.iloc[0]


@pytest.fixture
def metrics(write_metrics: Write) -> list[Path]:
    """Two tools on two networks of one scene; the second network finds nothing with GA."""
    return [
        write_metrics("pso_div", PSO, protocol="rq2"),
        write_metrics("ga_div", GA, protocol="rq2"),
        write_metrics("pso_div", LONG, protocol="rq2", dataset="sim_salinas"),
        write_metrics("ga_div", [0] * 6, protocol="rq2", dataset="sim_salinas"),
    ]


SUBJECT = {"dataset": "sim_pavia", "model": "hybridsn", "compression": "ptq_int8"}


def test_each_pair_is_tested_over_run_seeds_and_oriented_towards_the_group_named_first(
    tmp_path: Path, metrics: list[Path]
) -> None:
    table = make(tmp_path, metrics)
    first, second = cell(table, "pso", "ga", **SUBJECT), cell(table, "ga", None, **SUBJECT)
    assert (first["dir"], second["dir"]) == pytest.approx((22.5 / 200, 12.5 / 200))
    assert (first["p"], first["p_min"], first["a12"], first["rank_biserial"]) == (2 / 64, 2 / 64, 1, 1)
    assert first["shift"] == pytest.approx(10 / 200)
    # The first input of two always has something: both success rates are one half.
    assert (first["sr_p"], first["sr_a12"]) == (1, 0.5)
    assert pd.isna(second["p"])


def test_all_pairs_of_three_groups_are_tested_and_holm_counts_each_once(tmp_path: Path, write_metrics: Write) -> None:
    tools = {"pso_div": PSO, "ga_div": GA, "random": LONG}
    table = make(
        tmp_path,
        [write_metrics(tool, dii, protocol="rq2") for tool, dii in tools.items()],
        groups={tool: [tool] for tool in tools},
    )
    pairs = table[["tool", "against"]].fillna("").to_numpy().tolist()
    assert pairs == [["pso_div", "ga_div"], ["pso_div", "random"], ["ga_div", "random"], ["random", ""]]
    # Three pairs with five rates each; nine of these tests have p = 2 / 64, three have a p of 1, as have three of vr.
    assert table["p_holm"].dropna().tolist() == [15 * 2 / 64] * 3
    assert table["a12"].dropna().tolist() == [1, 0, 0]
    assert table.groupby("tool")["dir"].nunique().eq(1).all()


def test_rows_that_keep_fewer_keys_are_means_of_medians_and_pair_the_means_by_run_seed(
    tmp_path: Path, metrics: list[Path]
) -> None:
    table = make(tmp_path, metrics, rows=["compression"])
    assert table["subjects"].tolist() == [2, 2, 1, 1, 1, 1]
    first, second = (cell(table, *sides, compression="ptq_int8") for sides in (("pso", "ga"), ("ga", None)))
    assert first["dir"] == pytest.approx((22.5 + 32.5) / 2 / 200)
    # The median of GA on the second scene is 0.
    assert second["dir"] == pytest.approx(12.5 / 2 / 200)
    # Run seed s: (20 + s + 30 + s) / 2 - (10 + s) / 2.
    assert first["shift"] == pytest.approx((25 + 20 + 2.5 - 5) / 2 / 200, abs=1e-9)
    single = [cell(table, "pso", "ga", **(SUBJECT | {"dataset": name}))["dir_high"] for name in DATASETS]
    assert first["dir_high"] == pytest.approx(sum(single) / 2)
    text = (tmp_path / "tables" / "compare_groups.md").read_text()
    assert "arithmetic means of the medians over each dataset and model that was run (subjects: 2)" in text
    first_row = next(line for line in text.splitlines() if line.startswith("|  |"))
    assert text.index(first_row) < text.index("| City (simulated) |")


def test_the_mean_over_everything_is_not_tested(tmp_path: Path, metrics: list[Path]) -> None:
    alone, both = make(tmp_path, metrics), make(tmp_path, metrics, rows=[])
    mean = cell(both, "pso", "ga")
    assert mean["dir"] == pytest.approx((22.5 + 32.5) / 2 / 200)
    assert pd.isna(mean["p"])
    assert cell(both, "pso", "ga", **SUBJECT)["p_holm"] == cell(alone, "pso", "ga", **SUBJECT)["p_holm"]


def test_the_family_of_holm_is_of_the_rates_that_are_tested(tmp_path: Path, metrics: list[Path]) -> None:
    table = make(tmp_path, metrics, tests=["dir", "sr"])
    # Two subjects, one pair, two rates; three tests have p = 2 / 64, and one a p of 1.
    found = table[["p_holm", "sr_p_holm"]].to_numpy().ravel()
    assert sorted(found[~pd.isna(found)]) == [4 * 2 / 64] * 3 + [1]
    assert table["dir_valid_p"].isna().all()
    assert table["dir_valid"].notna().any()


def test_a_planned_pair_of_groups_is_a_family_with_all_its_rates(tmp_path: Path, metrics: list[Path]) -> None:
    table = make(tmp_path, metrics, tests=["dir", "sr"], planned=[{"tool": "pso", "against": "ga", "rate": "dir"}])
    assert table["p_holm"].dropna().tolist() == [2 * 2 / 64] * 2
    assert table["sr_p_holm"].isna().all()
    assert table["sr_p"].notna().any()


def test_with_a_baseline_each_other_group_is_compared_with_it_alone(tmp_path: Path, write_metrics: Write) -> None:
    tools = {"pso_div": PSO, "ga_div": GA, "random": LONG}
    metrics = [write_metrics(tool, dii, protocol="rq2") for tool, dii in tools.items()]
    table = make(tmp_path, metrics, groups={tool: [tool] for tool in tools}, baseline="ga_div", tests=["dir"])
    pairs = table[["tool", "against"]].fillna("").to_numpy().tolist()
    assert pairs == [["pso_div", "ga_div"], ["ga_div", ""], ["random", "ga_div"]]
    assert table["p_holm"].dropna().tolist() == [2 * 2 / 64] * 2
    assert table["a12"].dropna().tolist() == [1, 1]


def test_a_mean_over_one_subject_asks_its_question_once(tmp_path: Path, metrics: list[Path]) -> None:
    alone = make(tmp_path, metrics)
    both = make(tmp_path, metrics, rows=["dataset", "compression"])
    expected = cell(alone, "pso", "ga", **SUBJECT)["p_holm"]
    assert cell(both, "pso", "ga", **SUBJECT)["p_holm"] == expected
    assert cell(both, "pso", "ga", **(SUBJECT | {"model": ""}))["p_holm"] == expected


def test_a_subject_without_a_group_leaves_that_groups_mean_empty(tmp_path: Path, metrics: list[Path]) -> None:
    table = make(tmp_path, metrics[:3], rows=[])
    assert pd.isna(cell(table, "ga", None)["dir"])
    assert cell(table, "pso", None)["dir"] == pytest.approx((22.5 + 32.5) / 2 / 200)


def test_run_seeds_that_do_not_pair_give_no_mean(tmp_path: Path, write_metrics: Write, metrics: list[Path]) -> None:
    metrics[2] = write_metrics("pso_div", LONG[:5], protocol="rq2", dataset="sim_salinas")
    assert pd.isna(cell(make(tmp_path, metrics, rows=[]), "pso", None)["dir"])


def test_one_tool_under_two_protocols_makes_two_groups(tmp_path: Path, write_metrics: Write) -> None:
    groups = {
        "pso": ["pso_div"],
        "ga": {"tools": ["ga_div"], "protocol": "rq2"},
        "ga_250": {"tools": ["ga_div"], "protocol": "rq2_evaluations"},
    }
    files = [
        write_metrics("pso_div", PSO, protocol="rq2"),
        write_metrics("ga_div", GA, protocol="rq2"),
    ]
    files.append(write_metrics("ga_div", LONG, protocol="rq2_evaluations"))
    table = make(tmp_path, files, groups=groups)
    assert cell(table, "ga", "ga_250", **SUBJECT)["dir"] == pytest.approx(12.5 / 200)
    assert cell(table, "ga_250", None, **SUBJECT)["dir"] == pytest.approx(32.5 / 200)
    timing = pd.read_csv(tmp_path / "tables" / "compare_groups.timing.csv")
    assert timing["protocol"].tolist() == ["rq2", "rq2", "rq2_evaluations"]
    with pytest.raises(QuantriftError, match="name one of them as the protocol of group 'ga'"):
        make(tmp_path, files)


def test_a_group_without_tools_has_published_numbers_alone(tmp_path: Path, metrics: list[Path]) -> None:
    published = "dataset,model,compression,diffchaser_dir,diffchaser_sr\npavia_university,hybridsn,ptq_int8,0.1,0.2\n"
    table = make(tmp_path, metrics, groups={"diffchaser": []} | GROUPS, published=published)
    row = cell(table, "diffchaser", None, **SUBJECT)
    assert (row["published_dir"], row["published_sr"]) == (0.1, 0.2)
    assert row[["dir", "sr", "run_seeds", "p", "scale"]].isna().all()
    assert cell(table, "pso", "ga", **SUBJECT)["p"] == 2 / 64


def test_published_means_stand_beside_ours_and_bounds_beside_one_test(tmp_path: Path, metrics: list[Path]) -> None:
    groups = GROUPS | {"both": ["pso_div", "ga_div"]}
    table = make(tmp_path, metrics, groups=groups, rows=["dataset", "compression"], published=PUBLISHED)
    mean = {"dataset": "sim_pavia", "compression": "ptq_int8"}
    first, second = cell(table, "pso", "ga", **mean), cell(table, "pso", "both", **mean)
    assert (first["published_dir"], second["published_dir"]) == (0.1628, 0.1628)
    assert first["published_p_below"] == 0.01
    assert pd.isna(second["published_p_below"])
    assert pd.isna(cell(table, "pso", "ga", **SUBJECT)["published_dir"])
    assert not [name for name in table.columns.astype(str) if name.startswith("published_dir_")]
    # What only the paper has follows, its mean over everything too, with our columns empty.
    assert cell(table, "ga", None, dataset="salinas", compression="qat_int8")["published_dir"] == 0.1664
    assert cell(table, "ga", None)[["published_dir", "dir"]].fillna(-1).tolist() == [0.2, -1]


def test_a_value_published_for_one_test_stands_beside_that_test_alone(tmp_path: Path, metrics: list[Path]) -> None:
    own = "pso_dir_p,pso_dir_a12,pso_vr_a12_least,pso_vr_a12_most"
    published = f"dataset,model,compression,pso_dir,pso_a12_above,{own}\n"
    published += "pavia_university,,ptq_int8,0.1,0.92,0.133,0.59,0.69,0.71\n"
    groups = GROUPS | {"both": ["pso_div", "ga_div"]}
    table = make(tmp_path, metrics, groups=groups, rows=["dataset", "compression"], published=published)
    columns = [f"published_{name.removeprefix('pso_')}" for name in ("pso_a12_above", *own.split(","))]
    mean = {"dataset": "sim_pavia", "compression": "ptq_int8"}
    assert cell(table, "pso", "ga", **mean)[columns].tolist() == [0.92, 0.133, 0.59, 0.69, 0.71]
    assert cell(table, "pso", "both", **mean)[columns].isna().all()
    # Only what the file has gets a column.
    assert [name for name in table.columns.astype(str) if name.startswith(("published_sr_", "published_vr_p"))] == []
    text = (tmp_path / "tables" / "compare_groups.md").read_text()
    assert "published DiR p |" in text
    assert "published VR A12 at least |" in text


def test_pages_show_the_rates_asked_for_and_no_times(tmp_path: Path, metrics: list[Path]) -> None:
    table = make(tmp_path, metrics, shown=["dir", "sr"])
    text = (tmp_path / "tables" / "compare_groups.md").read_text()
    rates = text[: text.index("## Statistics")]
    for shown in ("| DiR % |", "| DiR pooled % |", "| SR % |", "| SR pooled % |"):
        assert shown in rates
    for left_out in ("| VR %", "| VR pooled %", "| DiR valid %"):
        assert left_out not in rates
    assert {"vr", "vr_pooled", "dir_valid"} <= set(table)
    # Tests are of all rates.
    assert "## Statistics of VR" in text
    assert "Tests between groups, paired over run seeds" in text
    assert "Scale: demo. Run seeds: 6. Inputs of each run seed: 2." in text
    assert not [name for name in table if "second" in str(name)]


def test_a_group_of_one_tool_goes_by_the_name_of_that_tool(tmp_path: Path, metrics: list[Path]) -> None:
    make(tmp_path, metrics, groups=GROUPS | {"both": ["pso_div", "ga_div"]})
    text = targets.markdown(tmp_path / "tables" / "compare_groups")
    assert "| ptq_int8 | pso_div | GA \\| wide |" in text
    assert "| ptq_int8 | GA \\| wide | both |" in text
    assert "both: mean of the medians of pso_div, GA | wide." in text.replace("\\|", "|")
