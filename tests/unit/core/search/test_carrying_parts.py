"""Inputs with others carried along: rows, files of them, and spaces and constraints that see the changed part alone."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from quantrift.core.base.carried_rows import apart, by_name, joined
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import Inputs, MeasuredStack, ValueStack
from quantrift.core.search.carrying_parts import carrying_constraint, carrying_space
from quantrift.core.search.constraints import psnr
from quantrift.core.search.space import Domain, Originals
from quantrift.core.search.spaces import image_distortions, pixels

SHAPE = (5, 4, 3)
SIDES = st.lists(st.integers(1, 3), max_size=2).map(tuple)
EVERY = np.arange(6)


def stack(seed: int = 0) -> ValueStack:
    values = np.random.default_rng(seed).random((6, *SHAPE)).astype(np.float32)
    return ValueStack(
        values=values,
        low=0.0,
        high=1.0,
        dataset="given",
        title="given",
        class_names=["a", "b"],
        labels=EVERY % 2,
        train=EVERY,
        validation=EVERY[:0],
        test=EVERY,
    )


def carrying(seed: int = 0) -> Inputs:
    rng = np.random.default_rng(seed + 1)
    others = {"angle": rng.random((6, 1)).astype(np.float32), "mask": rng.random((6, 2, 2)).astype(np.float32)}
    return replace(stack(seed), changed_input="image", carried=others)


@given(st.data(), st.integers(0, 4), SIDES, SIDES)
def test_rows_hold_every_input_bit_for_bit(
    data: st.DataObject, count: int, first: tuple[int, ...], second: tuple[int, ...]
) -> None:
    parts = [data.draw(arrays.arrays(np.float32, (count, *shape))) for shape in (SHAPE, first, second)]
    rows = joined(parts[0], parts[1:])
    assert rows.shape[:3] == (count, 1, 1)
    images, carried = apart(rows, SHAPE)
    assert images.tobytes() == parts[0].tobytes()
    found = by_name(carried, {"first": first, "second": second})
    assert [one.tobytes() for one in found.values()] == [one.tobytes() for one in parts[1:]]


@pytest.mark.parametrize("kind", ["values", "table"])
def test_a_file_holds_both_and_is_read_again(kind: str, tmp_path: Path) -> None:
    own: Inputs = stack()
    if kind == "table":
        shared = {name: getattr(own, name) for name in ("dataset", "title", "class_names", "labels", "train", "test")}
        values = np.random.default_rng(0).random((6, 1, 1, 4)).astype(np.float32)
        own = MeasuredStack(
            values=values, kind="table", names=[], category=np.full(4, -1), validation=EVERY[:0], **shared
        )
    others = {"a:0": np.ones((6,), np.float32), "b": np.ones((6, 2), np.float32)}
    before = replace(own, changed_input="image", carried=others)
    before.save(tmp_path / "inputs.npz")
    after = Inputs.load(tmp_path / "inputs.npz")
    assert type(after) is type(own)
    assert (after.changed_input, list(after.carried)) == ("image", ["a:0", "b"])
    assert all(np.array_equal(after.carried[name], one) for name, one in others.items())
    assert after.searched.arrays.keys() == own.arrays.keys()
    assert after.take(EVERY).tobytes() == before.take(EVERY).tobytes()
    assert Domain.of(after) == Domain.of(before)
    assert Domain.stated(Domain.of(after).settings) == Domain.of(after)


def test_the_domain_is_that_of_the_changed_input() -> None:
    own, both = Domain.of(stack()), Domain.of(carrying())
    assert (both.shape, both.low, both.high) == (own.shape, own.low, own.high)
    assert (own.carried, both.carried) == (0, 5)
    assert "carried" not in own.settings


def test_changes_are_those_of_the_input_alone_and_the_rest_stays() -> None:
    own, both = stack(), carrying()
    space = image_distortions.bind(image_distortions.Params(), Domain.of(own))
    whole = carrying_space(space, Domain.of(both))
    rng = np.random.default_rng(0)
    candidates = whole.sample(20, rng)
    assert candidates.tobytes() == space.sample(20, np.random.default_rng(0)).tobytes()
    rows = rng.integers(0, 6, 20)
    seeds, rows_of_all = Originals.of(own, EVERY), Originals.of(both, EVERY)
    expected = space.decode(candidates, seeds, rows)
    found = whole.decode(candidates, rows_of_all, rows)
    images, carried = apart(found, SHAPE)
    assert images.tobytes() == expected.tobytes()
    assert carried.tobytes() == apart(both.take(rows), SHAPE)[1].tobytes()
    constraint = psnr.bind(psnr.Params(), Domain.of(own))
    measured = carrying_constraint(constraint, Domain.of(both)).measure(found, rows_of_all, rows)
    alone = constraint.measure(expected, seeds, rows)
    assert measured.psnr.tobytes() == alone.psnr.tobytes()
    assert measured.judged.tobytes() == alone.judged.tobytes()


def test_other_seed_inputs_are_cut_anew() -> None:
    domain = Domain.of(carrying())
    whole = carrying_space(image_distortions.bind(image_distortions.Params(), Domain.of(stack())), domain)
    candidates = whole.sample(6, np.random.default_rng(0))
    for seed in (0, 1, 0):
        both = carrying(seed)
        found = whole.decode(candidates, Originals.of(both, EVERY), EVERY)
        assert apart(found, SHAPE)[1].tobytes() == apart(both.take(EVERY), SHAPE)[1].tobytes()


def test_parts_for_one_input_are_left_as_they_are() -> None:
    domain = Domain.of(stack())
    space = image_distortions.bind(image_distortions.Params(), domain)
    constraint = psnr.bind(psnr.Params(), domain)
    assert carrying_space(space, domain) is space
    assert carrying_constraint(constraint, domain) is constraint


def test_single_values_are_not_searched_where_others_are_carried() -> None:
    space = pixels.bind(pixels.Params(), Domain.of(stack()))
    with pytest.raises(QuantriftError, match="take networks of one input"):
        carrying_space(space, Domain.of(carrying()))
