"""Seed inputs are drawn for a dataset and network, so that comparisons of tools and compressions are paired."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.seed_blocks import Block
from quantrift.core.networks.batches import Runtime
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.pairs import given_pair, seed_inputs
from quantrift.core.pairs.pair import PairFiles

POOL = np.arange(100, 200)


class NeverRun:
    """A network that must not be run."""

    input_shape, classes = (1, 1, 1), 1

    def __call__(self, x: np.ndarray) -> np.ndarray:
        raise AssertionError("it was run")


def test_run_seeds_share_no_input() -> None:
    drawn = seed_inputs.draw(POOL, "d", "m", 10, 10, overlap=False)
    assert drawn.shape == (10, 10)
    assert sorted(drawn.ravel()) == POOL.tolist()


def test_overlapping_run_seeds_hold_no_input_twice() -> None:
    drawn = seed_inputs.draw(POOL, "d", "m", 5, 60, overlap=True)
    assert drawn.shape == (5, 60)
    assert all(len(set(row.tolist())) == 60 for row in drawn)
    assert not np.array_equal(drawn[0], drawn[1])


def test_a_draw_depends_on_dataset_and_network_alone() -> None:
    first = seed_inputs.draw(POOL, "d", "m", 2, 5, overlap=False)
    assert np.array_equal(first, seed_inputs.draw(POOL, "d", "m", 2, 5, overlap=False))
    assert not np.array_equal(first, seed_inputs.draw(POOL, "d", "n", 2, 5, overlap=False))
    assert not np.array_equal(first, seed_inputs.draw(POOL, "e", "m", 2, 5, overlap=False))


def test_more_inputs_than_the_pool_holds_are_refused() -> None:
    with pytest.raises(QuantriftError, match=r"110 seed inputs wanted \(10 run seeds x 11\).*only 100"):
        seed_inputs.draw(POOL, "d", "m", 10, 11, overlap=False)


def test_protocols_that_skip_share_no_input_with_those_that_do_not() -> None:
    first = seed_inputs.draw(POOL, "d", "m", 5, 8, overlap=False)
    later = seed_inputs.draw(POOL, "d", "m", 3, 20, overlap=False, skip=40)
    assert sorted([*first.ravel(), *later.ravel()]) == POOL.tolist()
    assert np.array_equal(later, seed_inputs.draw(POOL, "d", "m", 5, 20, overlap=False)[2:])
    with pytest.raises(QuantriftError, match=r"60 seed inputs wanted .* beside 41 that are skipped.*only 100"):
        seed_inputs.draw(POOL, "d", "m", 3, 20, overlap=False, skip=41)


@given(st.integers(1, 4), st.integers(1, 8), st.data(), st.booleans(), st.booleans())
def test_fewer_inputs_of_one_run_seed_are_among_those_of_the_first_of_several(
    run_seeds: int, each: int, data: st.DataObject, overlap: bool, per_class: bool
) -> None:
    fewer = data.draw(st.integers(1, each))
    among = {"even": POOL[::2], "odd": POOL[1::2]} if per_class else None
    many, few = (
        seed_inputs.draw(POOL, "d", "m", rows, 2 * inputs, overlap=overlap, among=among)
        for rows, inputs in ((run_seeds, each), (1, fewer))
    )
    assert set(few[0].tolist()) <= set(many[0].tolist())
    if not per_class:
        assert few[0].tolist() == many[0, : 2 * fewer].tolist()


def test_the_pool_holds_the_test_inputs_that_the_original_gets_right(scene_path: Path, trained: Path) -> None:
    inputs, original = Inputs.load(scene_path), LiteRT(trained / "original.tflite")
    pool = seed_inputs.pool(inputs, original)
    labels = original(inputs.take(inputs.test)).argmax(axis=1)
    assert pool.tolist() == inputs.test[labels == inputs.labels[inputs.test]].tolist()
    assert 0 < len(pool) <= len(inputs.test)


def test_the_list_reads_back_in_order(tmp_path: Path, scene_path: Path) -> None:
    inputs = Inputs.load(scene_path)
    drawn = seed_inputs.draw(inputs.test, "d", "m", 4, 3, overlap=False)
    seed_inputs.write(tmp_path / "seeds.csv", drawn, inputs)
    assert seed_inputs.read(tmp_path / "seeds.csv", Block(range(1, 3))) == [
        (s, i) for s in (1, 2) for i in drawn[s].tolist()
    ]
    with pytest.raises(QuantriftError, match=r"no inputs for run seeds \[4\]"):
        seed_inputs.read(tmp_path / "seeds.csv", Block(range(3, 5)))


def test_models_for_other_data_are_refused(trained: Path, compressed: Path, tmp_path: Path) -> None:
    files = PairFiles(original=trained / "original.tflite", compressed=compressed / "model.tflite")
    assert given_pair.load(files).original.classes == 3
    broken = tmp_path / "broken.tflite"
    broken.write_bytes(b"no model")
    with pytest.raises(QuantriftError, match="not a readable .tflite file"):
        given_pair.load(PairFiles(original=trained / "original.tflite", compressed=broken))


def test_draws_are_those_of_earlier_versions() -> None:
    drawn = seed_inputs.draw(POOL, "d", "m", 2, 3, overlap=False)
    assert drawn.tolist() == [[192, 163, 160], [191, 199, 157]]
    assert seed_inputs.draw(POOL, "d", "m", 2, 4, overlap=True)[1].tolist() == [142, 141, 123, 108]


def test_inputs_that_may_not_serve_are_passed_over_in_the_order_of_all() -> None:
    order = seed_inputs.draw(POOL, "d", "m", 1, 100, overlap=False)[0]
    serving = POOL[POOL % 3 == 0]
    drawn = seed_inputs.draw(POOL, "d", "m", 2, 10, overlap=False, among={"": serving})
    assert drawn.ravel().tolist() == [number for number in order if number % 3 == 0][:20]
    later = seed_inputs.draw(POOL, "d", "m", 1, 10, overlap=False, skip=50, among={"": serving})
    assert later.ravel().tolist() == [number for number in order[50:] if number % 3 == 0][:10]
    with pytest.raises(QuantriftError, match=r"34 seed inputs wanted .*but only 33 test inputs meet `correct`"):
        seed_inputs.draw(POOL, "d", "m", 1, 34, overlap=False, among={"": serving})


@pytest.mark.parametrize("overlap", [False, True])
def test_inputs_drawn_by_class_are_the_first_of_each_class(overlap: bool) -> None:
    groups = {"even": POOL[POOL % 2 == 0], "odd": POOL[POOL % 2 == 1]}
    drawn = seed_inputs.draw(POOL, "d", "m", 3, 8, overlap=overlap, among=groups)
    assert drawn.shape == (3, 8)
    assert (drawn % 2 == [0] * 4 + [1] * 4).all()
    assert all(len(set(row.tolist())) == 8 for row in drawn)
    assert overlap or len(set(drawn.ravel().tolist())) == 24
    order = seed_inputs.draw(POOL, "d", "m", 1, 100, overlap=overlap)[0]
    for rest, own in ((0, drawn[0, :4]), (1, drawn[0, 4:])):
        assert own.tolist() == [number for number in order if number % 2 == rest][:4]


def test_classes_that_cannot_give_their_share_are_named() -> None:
    groups = {"rare": POOL[:3], "common": POOL[3:]}
    with pytest.raises(QuantriftError, match="7 seed inputs cannot be drawn equally over 2 classes"):
        seed_inputs.draw(POOL, "d", "m", 1, 7, overlap=False, among=groups)
    with pytest.raises(QuantriftError, match=r"4 seed inputs wanted \(2 run seeds x 2\) of class rare, but only 3"):
        seed_inputs.draw(POOL, "d", "m", 2, 4, overlap=False, among=groups)


def test_pools_follow_from_what_the_networks_say(scene_path: Path, trained: Path, compressed: Path) -> None:
    inputs = Inputs.load(scene_path)
    original, other = (LiteRT(path) for path in (trained / "original.tflite", compressed / "model.tflite"))

    class Contrary:
        """A network that turns the original's logits round where the middle of an input is bright."""

        input_shape, classes = original.input_shape, original.classes

        def __call__(self, x: np.ndarray) -> np.ndarray:
            return original(x) * np.where(x[:, 4, 4, 0] > 0, -1, 1)[:, None]

    networks: list[Runtime] = [original, other, Contrary()]
    said = np.stack([network(inputs.take(inputs.test)).argmax(axis=1) for network in networks])
    assert seed_inputs.pool(inputs, original, correct=False).tolist() == inputs.test.tolist()
    alike = seed_inputs.alike(inputs, inputs.test, original, networks[1:], correct=False)
    # Where the original is right, its labels are known.
    right = seed_inputs.pool(inputs, original)
    known = seed_inputs.alike(inputs, right, NeverRun(), networks[1:])
    assert known.tolist() == seed_inputs.alike(inputs, right, original, networks[1:], correct=False).tolist()
    assert 0 < len(known) < len(right)
    assert seed_inputs.alike(inputs, inputs.test, NeverRun(), [], correct=False).tolist() == inputs.test.tolist()
    assert alike.tolist() == inputs.test[(said == said[0]).all(axis=0)].tolist()
    assert 0 < len(alike) < len(inputs.test)
    by_class = seed_inputs.by_class(inputs, alike)
    assert list(by_class) == inputs.class_names
    for label, own in enumerate(by_class.values()):
        assert own.tolist() == [number for number in alike.tolist() if inputs.labels[number] == label]
