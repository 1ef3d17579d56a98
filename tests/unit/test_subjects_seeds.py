"""Seed inputs are drawn for a dataset and network, so that comparisons of tools and compressions are paired."""

from pathlib import Path

import numpy as np
import pytest

from quantrift.config.errors import QuantriftError
from quantrift.data.inputs import Inputs
from quantrift.models.runtimes.litert import LiteRT
from quantrift.subjects import seeds
from quantrift.subjects.pair import load_pair

POOL = np.arange(100, 200)


def test_run_seeds_share_no_input() -> None:
    drawn = seeds.draw(POOL, "d", "m", 10, 10, overlap=False)
    assert drawn.shape == (10, 10)
    assert sorted(drawn.ravel()) == POOL.tolist()


def test_overlapping_run_seeds_hold_no_input_twice() -> None:
    drawn = seeds.draw(POOL, "d", "m", 5, 60, overlap=True)
    assert drawn.shape == (5, 60)
    assert all(len(set(row.tolist())) == 60 for row in drawn)
    assert not np.array_equal(drawn[0], drawn[1])


def test_a_draw_depends_on_dataset_and_network_alone() -> None:
    first = seeds.draw(POOL, "d", "m", 2, 5, overlap=False)
    assert np.array_equal(first, seeds.draw(POOL, "d", "m", 2, 5, overlap=False))
    assert not np.array_equal(first, seeds.draw(POOL, "d", "n", 2, 5, overlap=False))
    assert not np.array_equal(first, seeds.draw(POOL, "e", "m", 2, 5, overlap=False))


def test_more_inputs_than_the_pool_holds_are_refused() -> None:
    with pytest.raises(QuantriftError, match=r"110 seed inputs wanted \(10 run seeds x 11\).*only 100"):
        seeds.draw(POOL, "d", "m", 10, 11, overlap=False)


def test_protocols_that_skip_share_no_input_with_those_that_do_not() -> None:
    first = seeds.draw(POOL, "d", "m", 5, 8, overlap=False)
    later = seeds.draw(POOL, "d", "m", 3, 20, overlap=False, skip=40)
    assert sorted([*first.ravel(), *later.ravel()]) == POOL.tolist()
    assert np.array_equal(later, seeds.draw(POOL, "d", "m", 5, 20, overlap=False)[2:])
    with pytest.raises(QuantriftError, match=r"60 seed inputs wanted .* beside 41 that are skipped.*only 100"):
        seeds.draw(POOL, "d", "m", 3, 20, overlap=False, skip=41)


def test_the_pool_holds_the_test_inputs_that_the_original_gets_right(scene_path: Path, trained: Path) -> None:
    inputs, original = Inputs.load(scene_path), LiteRT(trained / "original.tflite")
    pool = seeds.pool(inputs, original)
    labels = original(inputs.take(inputs.test)).argmax(axis=1)
    assert pool.tolist() == inputs.test[labels == inputs.labels[inputs.test]].tolist()
    assert 0 < len(pool) <= len(inputs.test)


def test_the_list_reads_back_in_order(tmp_path: Path, scene_path: Path) -> None:
    inputs = Inputs.load(scene_path)
    drawn = seeds.draw(inputs.test, "d", "m", 4, 3, overlap=False)
    seeds.write(tmp_path / "seeds.csv", drawn, inputs)
    assert seeds.read(tmp_path / "seeds.csv", range(1, 3)) == [(s, i) for s in (1, 2) for i in drawn[s].tolist()]
    with pytest.raises(QuantriftError, match=r"no inputs for run seeds \[4\]"):
        seeds.read(tmp_path / "seeds.csv", range(3, 5))


def test_models_for_other_data_are_refused(trained: Path, compressed: Path, tmp_path: Path) -> None:
    assert load_pair(trained / "original.tflite", compressed / "model.tflite").original.classes == 3
    broken = tmp_path / "broken.tflite"
    broken.write_bytes(b"no model")
    with pytest.raises(QuantriftError, match="not a readable .tflite file"):
        load_pair(trained / "original.tflite", broken)
