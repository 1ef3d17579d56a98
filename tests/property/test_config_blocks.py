"""Blocks of searches cover every seed input once, in order, whatever their length."""

import hypothesis.strategies as st
from hypothesis import given

from quantrift.core.base.seed_blocks import PATTERN, Block, named, of_length, of_run_seeds


def covered(blocks: list[Block], inputs: int) -> list[tuple[int, int]]:
    return [(seed, place) for block in blocks for seed in block.run_seeds for place in block.inputs or range(inputs)]


@given(st.integers(1, 60), st.integers(1, 400), st.integers(1, 30_000))
def test_blocks_cover_every_seed_input_once_and_in_order(run_seeds: int, inputs: int, wanted: int) -> None:
    blocks = of_length(run_seeds, inputs, wanted)
    assert covered(blocks, inputs) == [(seed, place) for seed in range(run_seeds) for place in range(inputs)]
    assert all(len(block.run_seeds) * len(block.inputs or range(inputs)) <= wanted for block in blocks)


@given(st.integers(1, 20), st.integers(1, 40), st.integers(1, 9), st.integers(1, 500))
def test_what_is_searched_as_one_stays_in_one_block(run_seeds: int, batches: int, batch: int, wanted: int) -> None:
    blocks = of_length(run_seeds, batches * batch, wanted, batch)
    assert all(block.inputs is None or len(block.inputs) % batch == 0 for block in blocks)
    assert len(covered(blocks, batches * batch)) == run_seeds * batches * batch


@given(st.integers(1, 60), st.integers(1, 10_000), st.integers(1, 30_000))
def test_names_stand_for_blocks_and_sort_as_they_do(run_seeds: int, inputs: int, wanted: int) -> None:
    blocks = of_length(run_seeds, inputs, wanted)
    names = [block.name for block in blocks]
    assert [named(name) for name in names] == blocks
    assert sorted(names) == names


def test_whole_run_seeds_have_short_names() -> None:
    assert [block.name for block in of_run_seeds(7, 5)] == ["seeds_000-004", "seeds_005-006"]
    assert [block.name for block in of_length(1, 100, 60)] == [
        "seeds_000-000_inputs_00000-00049",
        "seeds_000-000_inputs_00050-00099",
    ]
    assert PATTERN.startswith("seeds_")
