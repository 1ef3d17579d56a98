"""Choice of layers: the fewest that are found, units, splits and orders of equal size."""

from collections.abc import Collection

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantrift.core.base.errors import QuantriftError
from quantrift.judge.mend.builder import Operation, units
from quantrift.judge.mend.mixed_search import fewest, of_equal_size, shortest
from quantrift.judge.mend.sample import CALIBRATED, split

NAMES = [f"u{number}" for number in range(12)]


@given(st.permutations(NAMES), st.sets(st.sampled_from(NAMES)))
def test_where_some_units_are_needed_exactly_those_are_left_in_float(order: list[str], needed: set[str]) -> None:
    assert fewest(order, lambda kept: needed <= set(kept)) == needed


@given(st.permutations(NAMES), st.sets(st.frozensets(st.sampled_from(NAMES), max_size=4), min_size=1, max_size=5))
def test_what_is_found_is_accepted_and_no_unit_of_it_can_go(order: list[str], enough: set[frozenset[str]]) -> None:
    def passes(kept: Collection[str]) -> bool:
        return any(one <= set(kept) for one in enough)

    found = fewest(order, passes)
    assert found is not None
    assert passes(found)
    assert not any(passes(found - {name}) for name in found)


@given(st.permutations(NAMES), st.integers(0, len(NAMES)))
def test_bisection_finds_the_shortest_beginning_with_few_questions(order: list[str], needed: int) -> None:
    asked: list[int] = []

    def passes(kept: Collection[str]) -> bool:
        asked.append(len(kept))
        return len(kept) >= needed

    assert shortest(order, passes) == needed
    assert len(asked) <= 2 + np.ceil(np.log2(len(order)))


def test_nothing_is_found_where_not_even_all_units_in_float_are_accepted() -> None:
    assert fewest(NAMES, lambda kept: False) is None


@given(st.integers(10, 3000), st.integers(0, 5))
def test_parts_share_no_input_and_leave_none_out(count: int, seed: int) -> None:
    parts = split(count, seed)
    assert np.array_equal(np.sort(np.concatenate([*parts.values()])), np.arange(count))
    assert len(parts["calibration"]) == min(CALIBRATED, round(count / 5))
    assert abs(len(parts["selection"]) - len(parts["fresh"])) <= 1
    assert all(np.array_equal(one, parts[part]) for part, one in split(count, seed).items())


def test_another_seed_splits_otherwise_and_a_handful_is_refused() -> None:
    assert not np.array_equal(split(100, 0)["fresh"], split(100, 1)["fresh"])
    with pytest.raises(QuantriftError, match="9 inputs are too few"):
        split(9, 0)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=12), st.integers(0, 400))
def test_an_order_of_equal_size_is_as_long_as_fits(sizes: list[int], most: int) -> None:
    names = NAMES[: len(sizes)]
    weight = dict(zip(names, sizes, strict=True))

    def size(kept: Collection[str]) -> int:
        return sum(weight[name] for name in kept)

    found = of_equal_size(names, size, most)
    assert found == names[: len(found)]
    assert size(found) <= most
    longer = names[: len(found) + 1]
    assert longer == found or size(longer) > most


def operation(
    name: str, reads: str = "", moves: bool = False, quantized: bool = True, layer: str | None = None
) -> Operation:
    return Operation(name, "CONV_2D", layer or name, tuple(reads.split()), 0 if moves else 10, moves, quantized)


def test_a_unit_is_an_operation_with_what_only_moves_its_values() -> None:
    network = [
        operation("pad", moves=True),
        operation("conv1", "pad"),
        operation("pool", "conv1", moves=True),
        operation("conv3d", "pool", quantized=False),
        operation("conv2", "pool"),
        operation("add", "conv2 pool"),
        operation("flat", "add", moves=True),
        operation("dense", "flat"),
    ]
    assert [(unit.name, unit.operations) for unit in units(network)] == [
        ("conv1", ("conv1", "pad", "pool")),
        ("conv2", ("conv2",)),
        ("add", ("add", "flat")),
        ("dense", ("dense",)),
    ]


@given(
    st.lists(st.tuples(st.booleans(), st.booleans(), st.sets(st.integers(0, 9), max_size=2)), min_size=1, max_size=10)
)
def test_every_operation_in_8_bits_is_in_one_unit_unless_nothing_reads_what_it_moves(
    drawn: list[tuple[bool, bool, set[int]]],
) -> None:
    network = [
        operation(
            f"o{place}", " ".join(f"o{one}" for one in sorted(reads) if one < place), moves, quantized, layer="same"
        )
        for place, (moves, quantized, reads) in enumerate(drawn)
    ]
    found = units(network)
    members = [name for unit in found for name in unit.operations]
    assert len(members) == len(set(members))
    assert len({unit.name for unit in found}) == len(found)
    assert set(members) <= {one.name for one in network if one.quantized}
    assert {one.name for one in network if one.quantized and not one.moves} <= set(members)
    assert sum(unit.macs for unit in found) == sum(one.macs for one in network if one.quantized)
