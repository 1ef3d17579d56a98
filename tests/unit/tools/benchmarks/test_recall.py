"""Recall against the truth: figures on planted networks, and how they are shown."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.factories import configurations, inputs
from tools.benchmarks import recall
from tools.benchmarks.recall import EXAMPLE, Pair, Recall

from quantrift.core.base.inputs import ImageStack
from quantrift.core.base.paths import Paths
from quantrift.core.pairs.pair import Outputs
from quantrift.core.search.neighbourhood_kinds import named

SHAPE = (6, 6, 1)
OF = "shift=1+brightness=12"


def images(count: int) -> ImageStack:
    return inputs.images(np.random.default_rng(3).integers(0, 256, (count, *SHAPE)))


def wrong(levels: np.ndarray) -> np.ndarray:
    """True for the images (n, H, W, C) on which planted networks disagree: the bright ones."""
    mean: np.ndarray = levels.reshape(len(levels), -1).mean(axis=1)
    return mean > 135


def networks(x: np.ndarray) -> Outputs:
    original = np.tile(np.array([0, 1], np.float32), (len(x), 1))
    compressed = original.copy()
    compressed[wrong(np.rint(255 * x))] = 1, 0
    return Outputs(original, compressed)


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    benchmark = Recall({EXAMPLE: OF}, ["brightness=12", "shift=1"], (20, 60), 10)
    assert benchmark.needs(configurations.of_scale(), Paths(Path("results"))) == []
    pair = Pair.of(networks, images(20), np.arange(20), 10)
    assert not wrong(pair.images.images[pair.chosen]).any()
    assert len(pair.chosen) == 10
    found = [*benchmark._certified(pair), *benchmark._recall(pair, EXAMPLE)]
    return [{"pair": EXAMPLE, **row} for row in found]


def members(of: str) -> list[np.ndarray]:
    """Members of the images that the fixture starts from, an array each."""
    stack = images(20)
    chosen = np.flatnonzero(~wrong(stack.images))[:10]
    neighbourhood = named(of, SHAPE)
    return [neighbourhood.members(stack.images[n], np.arange(neighbourhood.size)) for n in chosen]


def test_certified_shares_are_those_of_all_members(rows: list[dict[str, Any]]) -> None:
    own = {row["neighbourhood"]: row for row in rows if "tool" not in row}
    for text, row in own.items():
        share = np.mean([not wrong(one).any() for one in members(text)])
        assert (row["certified"], row["members"]) == (pytest.approx(share), named(text, SHAPE).size)
        assert row["certified_interval"][0] <= share <= row["certified_interval"][1]
    assert 0 < own["brightness=12"]["certified"] < 1


def test_every_tool_has_its_recall_of_one_truth_and_more_queries_never_find_less(rows: list[dict[str, Any]]) -> None:
    of_tools = [row for row in rows if "tool" in row]
    assert [row["queries"] for row in of_tools] == [20, 60] * len(recall.TOOLS)
    there = sum(wrong(one).any() for one in members(OF))
    for row in of_tools:
        assert (row["with_disagreement"], row["certified"]) == (there, pytest.approx(1 - there / 10))
    for less, more in zip(of_tools[::2], of_tools[1::2], strict=True):
        assert 0 <= less["recall"] <= more["recall"] <= 1
    assert any(row["recall"] for row in of_tools)


def test_the_page_shows_certified_inputs_and_recall(rows: list[dict[str, Any]]) -> None:
    text = recall.text(rows)
    assert f"| {EXAMPLE} | `shift=1` | 9 | " in text
    assert text.count("Random sampling of members") == 1
    assert "recall, 20 queries | recall, 60 queries | of all disagreeing images, 60 |" in text
    table = text.partition("\n\n")[2].splitlines()
    assert len(table) == 2 + len(recall.TOOLS)
    assert len({line.count("|") for line in table}) == 1
