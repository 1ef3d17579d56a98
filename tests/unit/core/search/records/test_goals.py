"""Records of searches with goals other than any disagreement, and records without other candidates."""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.factories import records, targets
from tests.factories import searches as tables
from tests.factories.records import SUBJECT

from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import Paths
from quantrift.core.base.seed_blocks import Block
from quantrift.core.search.record_columns import searches_path
from quantrift.core.search.records.replaying import replay
from quantrift.core.search.records.stored_vectors import ORDER, stored
from quantrift.core.search.results_files import files_in
from quantrift.core.search.run import Budget, Files, Job, run
from quantrift.core.search.stopping import Stop
from quantrift.core.statistics import disagreements
from quantrift.core.statistics.invariants import check_counts

KEYS = list(ORDER[:3])


@pytest.fixture(scope="module")
def paths(lay_out: Callable[[Files], None], tmp_path_factory: pytest.TempPathFactory) -> Paths:
    """A results folder as the workflow lays it out, up to the seed inputs: 4 run seeds of 5 inputs."""
    paths = Paths(tmp_path_factory.mktemp("results"))
    lay_out(files_in(paths, SUBJECT, settings("random")))
    return paths


def settings(tool: str, **params: Any) -> dict[str, Any]:
    found = records.lenient(tool)
    if found["constraint"]["name"] == "linf":
        found["constraint"]["params"]["radius"] = 0.5
        # The tiny scene's values lie on no grid.
        found["space"]["params"]["levels"] = None
    found["searcher"]["params"] |= params
    return found


def searched(
    paths: Paths, budget: Budget, tool: str = "random", vectors: Any = "all", name: str = "x", **params: Any
) -> Path:
    made = settings(tool, **params)
    out = records.path(paths, tool, name)
    run(Job(SUBJECT, tool, made, budget, vectors, 256, 200), files_in(paths, SUBJECT, made), Block(range(4)), out)
    return out


def untimed(path: Path) -> pd.DataFrame:
    return records.untimed(path).to_pandas()


def test_records_of_what_was_found_are_those_rows_of_the_records_of_all(paths: Paths) -> None:
    everything = searched(paths, Budget(20), name="all")
    found = searched(paths, Budget(20, candidates="found"), name="found")
    whole = untimed(everything)
    wanted = whole[whole["label_original"] != whole["label_compressed"]].reset_index(drop=True)
    assert 0 < len(wanted) < len(whole)
    pd.testing.assert_frame_equal(untimed(found), wanted)
    pd.testing.assert_frame_equal(untimed(searches_path(found)), untimed(searches_path(everything)))
    assert replay(found).complete
    assert replay(found).rows == replay(everything).rows == len(wanted)
    assert np.array_equal(stored(found)["vector"], stored(everything)["vector"])


def test_only_vectors_of_candidates_that_reach_the_goal_are_stored(paths: Paths) -> None:
    budget = Budget(20, stop=Stop(goal="one_keeps"))
    everything, some = (searched(paths, budget, vectors=of, name=str(of)[2:5]) for of in ("all", {"sample": 2}))
    rows = untimed(everything)
    assert (rows["vector"].notna() == rows["reached"]).all()
    assert (rows["label_original"] != rows["label_compressed"])[rows["reached"]].all()
    searches = untimed(searches_path(some)).set_index(KEYS)
    kept = pd.Series(stored(some)["input"]).groupby([stored(some)["run_seed"], stored(some)["input"]]).size()
    wanted = searches["reached"].clip(upper=2)
    assert kept.to_dict() == wanted[wanted > 0].droplevel("target").to_dict()
    assert (searches["reached"] > 2).any()


def test_counts_of_what_reached_the_goal_agree_with_the_candidates(paths: Paths) -> None:
    path = searched(paths, Budget(20, stop=Stop(goal="one_keeps")), name="one_keeps")
    rows, searches = untimed(path), untimed(searches_path(path))
    check_counts(searches)
    assert (searches["target"] == -1).all()
    assert not searches["reached"][searches["seed_disagrees"]].any()
    for search in searches.to_dict("records"):
        own = rows[(rows["run_seed"] == search["run_seed"]) & (rows["input"] == search["input"])]
        kept = own.loc[own["reached"], ["label_original", "label_compressed"]] == search["true_label"]
        # The original is right on every seed input, so what it keeps is the true label.
        assert (kept.sum(axis=1) == 1).all()
        reached = own[own["reached"]]
        assert (len(reached), reached["digest"].nunique()) == (search["reached"], search["reached_distinct"])
        assert search["first_reached"] == (0 if reached.empty else 10 * (1 + reached["generation"].min()))
    assert searches["reached"].sum() > 0


def test_a_targeted_protocol_searches_each_input_once_for_each_other_class(paths: Paths) -> None:
    path = searched(paths, Budget(10, stop=Stop(goal="targeted", first_attack=True)), name="targeted")
    rows, searches = untimed(path), untimed(searches_path(path))
    check_counts(searches)
    inputs = Inputs.load(paths.inputs("tiny", "hybridsn"))
    chosen = pd.read_csv(paths.seeds("tiny", "hybridsn", "test"))
    expected = [
        (seed, number, k)
        for (seed, number), k in product(chosen[["run_seed", "input"]].itertuples(index=False, name=None), range(3))
        if k != inputs.labels[number]
    ]
    assert list(searches[KEYS].itertuples(index=False, name=None)) == expected
    hits = rows[rows["reached"]]
    assert len(hits)
    said = hits[["label_original", "label_compressed"]].to_numpy()
    assert (np.sort(said) == np.sort(hits[["true_label", "target"]].to_numpy())).all()
    ended = searches["first_reached"] > 0
    assert (searches["generated"] == searches["first_reached"])[ended].all()
    assert (searches["generations"] == 10)[~ended].all()
    # A search for one class draws other candidates than a search for another.
    assert not rows.loc[rows["generation"] == 0, ["run_seed", "input", "digest"]].duplicated().any()
    table = disagreements.load(targets.of_searches([searches_path(path)]))
    ordered = searches.sort_values(KEYS, ignore_index=True)
    ended = ordered["first_reached"] > 0
    assert tuple(table.columns) == disagreements.COLUMNS
    assert table["protocol"].unique().tolist() == ["test"]
    assert table["success"].tolist() == ended.tolist()
    assert table["fdi"].isna().tolist() == (~ended).tolist()
    assert (table["fdi"] == table["spent"])[ended].all()
    assert table["tdi"].tolist() == ordered["reached_distinct"].tolist()


def test_records_of_targeted_searches_replay(paths: Paths) -> None:
    budget = Budget(6, stop=Stop(goal="targeted"))
    path = searched(paths, budget, tool="diffchaser_targeted", name="pixels", population=40, radius=0.5)
    assert replay(path).complete
    assert replay(path).largest_difference == 0
    assert replay(path).rows == untimed(path)["reached"].sum() > 0


def test_a_contradiction_about_the_goal_is_refused() -> None:
    good = {"dii": 4, "dii_distinct": 3, "dii_memberships": 4, "first_dii": 20}
    good |= {"reached": 3, "reached_distinct": 2, "first_reached": 30}
    check_counts(pd.DataFrame([tables.search(0, 1, **good, target=target) for target in (-1, 2, 3)]))
    for wrong in (
        {"reached": 5},
        {"reached_distinct": 4},
        {"first_reached": 0},
        {"first_reached": 10},
        {"first_reached": 110},
        {"target": 1},
    ):
        with pytest.raises(Exception, match="records are inconsistent"):
            check_counts(pd.DataFrame([tables.search(0, 1, **good | wrong)]))
    with pytest.raises(Exception, match="occurs twice"):
        check_counts(pd.DataFrame([tables.search(0, 1, **good, target=2)] * 2))


def test_no_file_gives_a_table_without_rows() -> None:
    assert tuple(disagreements.load({}).columns) == disagreements.COLUMNS
