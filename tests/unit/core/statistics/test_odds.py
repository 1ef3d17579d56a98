"""Odds ratios of distortions being switched on, counted from records and worked out by hand."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from quantrift.core.base.errors import QuantriftError
from quantrift.core.search.record_columns import searches_path
from quantrift.core.statistics.odds import DII, OTHER, Activation, log_odds_of_pairs, odds, odds_ratio, read


def counted(cells: Sequence[Sequence[int]], run_seeds: Sequence[int] | None = None) -> Activation:
    """Searches with a single distortion; each row: difference-inducing and on, off, other and on, off."""
    table = np.array(cells)
    return Activation(
        distortions=("zoom",),
        run_seeds=np.array(run_seeds if run_seeds is not None else np.arange(len(table)) // 5),
        inputs=np.arange(len(table)),
        clusters=np.arange(len(table)),
        total=np.stack([table[:, 2] + table[:, 3], table[:, 0] + table[:, 1]], axis=1),
        on=np.stack([table[:, [2]], table[:, [0]]], axis=1),
        joint=np.zeros((2, 1, 1), np.int64),
    )


def test_an_odds_ratio_is_that_of_the_table() -> None:
    ratio, corrected = odds_ratio(np.array([[20, 5, 10, 40]]))
    assert float(ratio) == 20 * 40 / (5 * 10)
    assert not corrected


def test_pooling_weighs_strata_as_mantel_and_haenszel_do() -> None:
    ratio, corrected = odds_ratio(np.array([[8, 2, 5, 5], [1, 9, 10, 90]]))
    assert float(ratio) == pytest.approx((8 * 5 / 20 + 1 * 90 / 110) / (2 * 5 / 20 + 9 * 10 / 110))
    assert not corrected
    # A stratum in which nothing was found says nothing, even where others need a correction.
    alone, _ = odds_ratio(np.array([[8, 2, 5, 5]]))
    with_empty, _ = odds_ratio(np.array([[8, 2, 5, 5], [0, 0, 30, 3]]))
    assert float(alone) == float(with_empty)


def test_a_zero_is_corrected_by_a_half_and_nothing_stays_nothing() -> None:
    ratio, corrected = odds_ratio(np.array([[[4, 0, 3, 7]], [[0, 0, 3, 7]], [[1, 1, 1, 1]], [[0, 9, 0, 7]]]))
    assert float(ratio[0]) == pytest.approx(4.5 * 7.5 / (0.5 * 3.5))
    assert np.isnan(ratio[1])
    # A distortion that is never on has no odds, and a correction would make some up.
    assert np.isnan(ratio[3])
    assert corrected.tolist() == [True, False, False, False]


def test_intervals_follow_the_seed_inputs_and_not_the_candidates() -> None:
    # Every input finds the same: nothing changes when inputs are redrawn, however few candidates there are.
    [same] = odds([counted([[2, 1, 1, 2]] * 10)]).low
    assert same == pytest.approx(4)
    # A single input that finds nearly everything: most of what is known comes from one unit.
    found = odds([counted([[200, 10, 10, 20]] + [[0, 1, 5, 20]] * 9)])
    assert found.low[0] < 3 < found.ratio[0] < 100 < found.high[0] / found.low[0] * 3


def test_few_seed_inputs_with_a_disagreement_give_an_odds_ratio_without_an_interval() -> None:
    for hits, words in ((1, "one seed input"), (2, "two seed inputs"), (3, "")):
        found = odds([counted([[20, 5, 10, 40]] * hits + [[0, 0, 10, 40]] * 9)])
        assert found.ratio[0] > 1
        assert found.rests_on == words
        assert np.isnan(found.low[0]) == np.isnan(found.high[0]) == bool(words)


def test_seed_inputs_of_one_block_of_a_scene_are_one_case() -> None:
    one = counted([[20, 5, 10, 40], [2, 5, 10, 4]] * 6)
    blocks = dataclasses.replace(one, clusters=np.arange(12) // 6)
    assert odds([blocks]).ratio == odds([one]).ratio
    assert odds([blocks]).rests_on == "two spatial blocks"


def test_intervals_cover_the_true_odds_ratio() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(100):
        rows = []
        for _ in range(60):
            # Inputs differ in how much they find; the odds ratio within each is 3.
            dii, other = rng.binomial(30, rng.beta(1, 4)), 30
            on_dii, on_other = rng.binomial(dii, 0.75), rng.binomial(other, 0.5)
            rows.append([on_dii, dii - on_dii, on_other, other - on_other])
        found = odds([counted(rows, [place // 12 for place in range(60)])])
        covered += bool(found.low[0] <= 3 <= found.high[0])
    assert 88 <= covered <= 99


def test_tools_on_other_inputs_are_not_pooled() -> None:
    with pytest.raises(QuantriftError, match="cannot be pooled"):
        odds([counted([[1, 1, 1, 1]] * 4), counted([[1, 1, 1, 1]] * 5)])


def test_pairs_that_seek_or_avoid_each_other_are_told_apart() -> None:
    # Of 100: 50 on each; first and second always together, first and third never.
    # The fourth is never on.
    joint = np.zeros((2, 4, 4), np.int64)
    joint[DII, :3, :3] = [[50, 50, 0], [50, 50, 0], [0, 0, 50]]
    total = np.array([[0, 100]])
    one = Activation(("a", "b", "c", "d"), np.zeros(1), np.zeros(1), np.zeros(1), total, np.zeros((1, 2, 4)), joint)
    found = log_odds_of_pairs(one, DII)
    assert found[0, 1] == pytest.approx(np.log(50.5**2 / 0.5**2))
    assert found[0, 2] == pytest.approx(-np.log(50.5**2 / 0.5**2))
    assert np.array_equal(found, found.T, equal_nan=True)
    assert np.isnan(np.diagonal(found)).all()
    assert np.isnan(found[3]).all()
    assert np.isnan(log_odds_of_pairs(one, OTHER)).all()


@pytest.mark.parametrize("tool", ["random_feasible", "pso_div"])
def test_counts_are_those_of_the_records(tiny_searches: dict[str, list[Path]], tool: str) -> None:
    files = tiny_searches[tool]
    found = read(files)
    searches = pd.concat([pd.read_parquet(searches_path(file)) for file in files])
    rows = pd.concat([pq.read_table(file).drop_columns(["vector"]).to_pandas() for file in files])
    rows = rows[~rows["seed_disagrees"]].drop_duplicates(["run_seed", "input", "digest"])
    agreeing = searches[~searches["seed_disagrees"]].sort_values(["run_seed", "input"])
    assert found.inputs.tolist() == agreeing["input"].tolist()
    assert found.run_seeds.tolist() == agreeing["run_seed"].tolist()
    dii = (rows["label_original"] != rows["label_compressed"]).to_numpy()
    assert dii.any()
    for kind, own in ((DII, rows[dii]), (OTHER, rows[~dii])):
        counts = own.groupby("input").size().reindex(found.inputs, fill_value=0)
        assert found.total[:, kind].tolist() == counts.tolist()
        for place in range(len(found.distortions)):
            on = own["active"].to_numpy() >> place & 1
            assert found.on[:, kind, place].sum() == found.joint[kind, place, place] == on.sum()
            both = on & (own["active"].to_numpy() >> 4)
            assert found.joint[kind, place, 4] == both.sum()
    assert np.array_equal(found.cells.sum(axis=-1), np.repeat(found.total.sum(axis=1)[:, None], 11, axis=1))
