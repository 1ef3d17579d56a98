"""Tables made from the records of searches: distances, activation, smallest sets."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.spatial.distance import pdist
from tests.factories import datasets, targets
from tests.factories.places import PUBLISHED
from tests.factories.record_files import files_of_records

from quantrift.core.base import table_parquet
from quantrift.core.base.errors import QuantriftError
from quantrift.core.search.records.shrinking import SHRUNK, shrink
from quantrift.core.search.records.stored_vectors import stored
from quantrift.core.statistics.odds import odds, read
from quantrift.core.statistics.vector_samples import draws

DATASETS = {"tiny": datasets.scene(None, "Tiny scene (simulated)", "abc")}
PAPERS = PUBLISHED / "diverget_table6.csv"
FITNESS = {"f_cov": "ga_div", "f_div": "pso_div"}
"""GA stands for a second fitness function, as it moves in the same space."""
TITLES = {"pso_div": "PSO"}


Searched = tuple[str, str, str, str, str]
SUBJECT = ("tiny", "hybridsn", "ptq_int8")


@pytest.fixture
def blocks(tiny_searches: dict[str, list[Path]], tmp_path: Path) -> dict[Searched, list[Path]]:
    """Candidates tables by what was searched, in the results folder of the tables."""
    results = tiny_searches["pso_div"][0].parents[6]
    (tmp_path / "search").symlink_to(results / "search")
    return {
        (*SUBJECT, tool, "test"): [tmp_path / file.relative_to(results) for file in files]
        for tool, files in tiny_searches.items()
    }


def distances(blocks: dict[Searched, list[Path]], folder: Path, vectors: int) -> tuple[pd.DataFrame, str]:
    """The CSV and the Markdown file."""
    given = targets.given({"records": blocks}, DATASETS, published=[PAPERS], titles=TITLES)
    stated = {"from": ["rq2"], "metaheuristics": {"PSO": FITNESS}, "vectors": vectors}
    stem = targets.table(folder, given, kind="vector_distances", **stated)
    table = pd.read_csv(stem.with_suffix(".csv"))
    return table.set_index(table["form"] + " " + table["fitness"]), targets.markdown(stem)


def test_distances_are_those_of_equal_draws_beside_the_published_ones(
    blocks: dict[Searched, list[Path]], tmp_path: Path
) -> None:
    rows, text = distances(blocks, tmp_path, 16)
    assert rows.index.tolist() == ["raw f_cov", "raw f_div", "scaled f_cov", "scaled f_div"]
    assert (rows["vectors"] == 16).all()
    assert (rows["run_seeds"] == 4).all()
    pair = {name: blocks[*SUBJECT, tool, "test"] for name, tool in FITNESS.items()}
    drawn = draws(pair, "scaled", 16, 3, [*SUBJECT, "PSO"])
    means = [pdist(draw.vectors["f_div"].astype(np.float64)).mean() for draw in drawn]
    assert rows["distance_average"]["scaled f_div"] == pytest.approx(np.mean(means))
    assert rows["distance_average_sd"]["scaled f_div"] == pytest.approx(np.std(means, ddof=1))
    assert rows["published_distance_average"]["raw f_div"] == 572.2
    assert pd.isna(rows["published_distance_average"]["scaled f_div"])
    first = rows.to_dict("index")["scaled f_cov"]
    assert first["within_pairs"] == 4
    # Four run seeds allow no test, but effect sizes.
    assert pd.isna(first["within_p"])
    assert 0 <= first["within_a12"] <= 1
    assert rows["within_a12"].notna().tolist() == [True, False, True, False]
    assert "Scale: demo. Run seeds: 4. Draws: 3, of 16 vectors" in text
    assert "realised: 16." in text
    assert "draws overlap" not in text
    assert "PSO: f_cov against f_div. Titles of the tools: ga_div, PSO." in text
    tests = text[text.index("## Statistics of Within a run seed") :]
    assert "| Tiny scene (simulated) | hybridsn | ptq_int8 | PSO | scaled | f_cov | 4 |" in tests
    assert "f_div |" not in tests


def test_the_answer_gives_the_distances_of_scaled_vectors_with_both_fitness_functions(
    blocks: dict[Searched, list[Path]], tmp_path: Path, answers_say_what_their_tables_say: list[str]
) -> None:
    rows, _ = distances(blocks, tmp_path, 16)
    first, second = (f"{rows['within'][f'scaled {name}']:.3g}" for name in ("f_cov", "f_div"))
    assert answers_say_what_their_tables_say == [
        "Tiny scene (simulated) \u00b7 hybridsn \u00b7 ptq_int8, PSO: mean distance of scaled vectors within a run "
        f"seed {first} with f_cov, {second} with f_div; not tested."
    ]


def test_fewer_vectors_than_asked_for_are_stated(blocks: dict[Searched, list[Path]], tmp_path: Path) -> None:
    rows, text = distances(blocks, tmp_path, 10_000)
    assert (rows["vectors"] < 10_000).all()
    assert rows["vectors"]["raw f_cov"] == rows["vectors"]["raw f_div"] >= rows["vectors"]["scaled f_cov"]
    assert f"realised: {rows['vectors']['scaled f_cov']}" in text
    assert "draws overlap" in text


def test_a_tool_that_was_not_searched_leaves_no_row(blocks: dict[Searched, list[Path]], tmp_path: Path) -> None:
    del blocks[*SUBJECT, "ga_div", "test"]
    rows, _ = distances(blocks, tmp_path, 16)
    assert rows.empty


def test_odds_ratios_stand_by_tool_and_pooled(blocks: dict[Searched, list[Path]], tmp_path: Path) -> None:
    given = targets.given({"records": blocks}, DATASETS, titles=TITLES)
    stated = {"from": ["rq1"], "groups": {"searches": ["pso_div", "ga_div"], "x": ["z"]}}
    stem = targets.table(tmp_path, given, kind="activation", **stated)
    rows = pd.read_csv(stem.with_suffix(".csv"))
    assert list(dict.fromkeys(rows["tool"])) == ["random_feasible", "pso_div", "ga_div", "searches"]
    assert len(rows) == 4 * 11
    tools = {key[3]: read(files) for key, files in blocks.items()}
    found = odds([tools["pso_div"], tools["ga_div"]])
    pooled = rows[rows["tool"] == "searches"]
    assert pooled["odds_ratio"].to_numpy() == pytest.approx(found.ratio)
    assert pooled["odds_ratio_low"].to_numpy() == pytest.approx(found.low)
    assert (pooled["odds_ratio_low"] <= pooled["odds_ratio"]).all()
    assert (pooled["odds_ratio"] <= pooled["odds_ratio_high"]).all()
    by_tool = rows.drop_duplicates("tool").set_index("tool")["n_dii"]
    assert by_tool["searches"] == by_tool["pso_div"] + by_tool["ga_div"]
    random = rows[rows["tool"] == "random_feasible"].set_index("distortion")
    cells = tools["random_feasible"].cells.sum(axis=0)[0]
    assert random.loc["continuous_dropout", "dii_on_share"] == pytest.approx(cells[0] / (cells[0] + cells[1]))
    text = targets.markdown(stem)
    assert "a stratum a tool): searches: PSO, ga_div" in text
    assert "| Tiny scene (simulated) | hybridsn | ptq_int8 | PSO | continuous dropout |" in text


def test_a_tool_searched_under_two_protocols_is_refused(blocks: dict[Searched, list[Path]], tmp_path: Path) -> None:
    blocks[*SUBJECT, "pso_div", "other"] = blocks[*SUBJECT, "pso_div", "test"]
    message = "table activation: tiny/hybridsn/ptq_int8/pso_div: searched under test and under other"
    with pytest.raises(QuantriftError, match=message):
        targets.table(tmp_path, targets.given({"records": blocks}, DATASETS), kind="activation", **{"from": ["rq1"]})


def shrunk(out: Path, rows: list[tuple[int, int, bool, int, list[int]]]) -> Path:
    """The outcome of shrinking: run seed, input, whether the seed disagrees, active, smallest sets."""
    records = [
        {
            "run_seed": run_seed, "input": index, "evaluation": place, "true_label": 0, "label_original": 1,
            "label_compressed": 2, "seed_disagrees": disagrees, "active": active, "size_before": active.bit_count(),
            "size": sets[0].bit_count(), "exact": True, "sets": sets, "sets_label_original": [1] * len(sets),
            "sets_label_compressed": [2] * len(sets),
        }
        for place, (run_seed, index, disagrees, active, sets) in enumerate(rows)
    ]  # fmt: skip
    # One more input of each run seed, of which nothing was found.
    agreeing = {(run_seed, index) for run_seed, index, disagrees, *_ in rows if not disagrees} | {(0, 8), (1, 9)}
    searches = [(run_seed, index, index) for run_seed, index in agreeing]
    made = {"distortions": ["stripping", "rotation", "zoom"], "agreeing": sorted(searches)}
    schema = table_parquet.schema(SHRUNK, json.dumps(made))
    pq.write_table(pa.Table.from_pylist(records, schema=schema), out)
    return out


def minimal(files: dict[str, Path], folder: Path, sets: int = 3) -> tuple[pd.DataFrame, str]:
    """The CSV and the Markdown file, of the outcomes of tools."""
    shrunk = {(*SUBJECT, tool, "test"): file for tool, file in files.items()}
    given = targets.given({"shrunk": shrunk}, DATASETS, titles=TITLES)
    stem = targets.table(folder, given, kind="minimal_distortions", sets=sets, **{"from": ["rq1"]})
    return pd.read_csv(stem.with_suffix(".csv")), targets.markdown(stem)


def test_sizes_and_most_frequent_sets_are_counted(tmp_path: Path) -> None:
    rows = [(0, 1, False, 0b111, [0b010]), (0, 1, False, 0b110, [0b010, 0b100]), (0, 2, False, 0b011, [0b011]),
            (1, 3, False, 0b111, [0b100]), (1, 4, True, 0b111, [0])]  # fmt: skip
    file = shrunk(tmp_path / "x.parquet", rows)
    empty = shrunk(tmp_path / "y.parquet", [(1, 4, True, 0b111, [0])])
    table, text = minimal({"pso_div": file, "ga_div": empty}, tmp_path)
    found = table[table["tool"] == "pso_div"]
    assert found[["size", "distortions", "before_share", "after_share"]].fillna(-1).to_numpy().tolist() == [
        [1, "any", 0, 0.75],
        [1, "rotation", -1, 0.5],
        [1, "zoom", -1, 0.5],
        [2, "any", 0.5, 0.25],
        [2, "stripping + rotation", -1, 0.25],
        [3, "any", 0.5, 0],
    ]
    first = found.iloc[0]
    assert (first["run_seeds"], first["inputs"], first["n_shrunk"], first["n_left_out"]) == (2, 3, 4, 1)
    assert (first["before_average"], first["after_average"]) == (2.5, 1.25)
    # One of a set alone needs it from two of three seed inputs.
    assert np.isnan(first[["after_share_low", "after_share_high"]].astype(float)).all()
    assert first["after_share_rests_on"] == "two seed inputs"
    # None of three seed inputs: Wilson's upper end.
    assert found.iloc[-1]["after_share_low"] == 0
    assert found.iloc[-1]["after_share_high"] == pytest.approx(0.5615, abs=1e-4)
    [nothing] = table[table["tool"] == "ga_div"].to_dict("records")
    assert (nothing["n_shrunk"], nothing["n_left_out"]) == (0, 1)
    assert pd.isna(nothing["after_share"])
    assert "Difference-inducing inputs: 4, and 2 that are left out." in text
    start = "| Tiny scene (simulated) | hybridsn | ptq_int8 | PSO | 1 |"
    assert f"{start} any | 4 | 1 | 100.00 | 2.50 | 1.25 | 0.00 | 75.00 (two seed inputs) | 2 | 3 |" in text
    assert f"{start} rotation | 4 | 1 | 100.00 | 2.50 | 1.25 |  | 50.00 (one seed input) | 2 | 3 |" in text
    assert "| Tiny scene (simulated) | hybridsn | ptq_int8 | ga_div |  | any | 0 | 1 |" in text
    assert "one distortion at a time" not in text


def test_the_table_of_a_real_search_adds_up(tiny_searches: dict[str, list[Path]], tmp_path: Path) -> None:
    files = tiny_searches["pso_div"]
    shrink(files, files_of_records(files), tmp_path / "test.parquet", per_run_seed=8, exhaustive=2)
    table, text = minimal({"pso_div": tmp_path / "test.parquet"}, tmp_path, sets=0)
    assert (table["distortions"] == "any").all()
    assert table["before_share"].sum() == pytest.approx(1)
    assert table["after_share"].sum() == pytest.approx(1)
    assert table["n_shrunk"].iloc[0] + table["n_left_out"].iloc[0] <= sum(len(stored(file)["input"]) for file in files)
    assert "one distortion at a time" in text
