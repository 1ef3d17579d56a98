"""Blocks of seed inputs, one for each search job, and their names.

Searches read this module, so it does without pydantic.
"""

import re
from dataclasses import dataclass

PATTERN = r"seeds_\d+-\d+(?:_inputs_\d+-\d+)?"
"""Pattern of the names of blocks."""


@dataclass(frozen=True)
class Block:
    """Whole run seeds, or a part of one."""

    run_seeds: range
    inputs: range | None = None
    """Positions in the list of the run seed's inputs; None for all of them."""

    @property
    def name(self) -> str:
        """``seeds_000-004``, or ``seeds_002-002_inputs_00100-00199``; names sort as the blocks do."""
        whole = f"seeds_{self.run_seeds[0]:03d}-{self.run_seeds[-1]:03d}"
        return whole if self.inputs is None else f"{whole}_inputs_{self.inputs[0]:05d}-{self.inputs[-1]:05d}"


def named(name: str) -> Block:
    """The block with a given name."""
    seeds, *inputs = [range(int(first), int(last) + 1) for first, last in re.findall(r"(\d+)-(\d+)", name)]
    return Block(seeds, *inputs)


def of_run_seeds(count: int, size: int) -> list[Block]:
    """``count`` run seeds in blocks of ``size``."""
    return [Block(range(first, min(first + size, count))) for first in range(0, count, size)]


def of_length(run_seeds: int, inputs: int, wanted: int, together: int = 1) -> list[Block]:
    """Blocks of about ``wanted`` seed inputs: as many whole run seeds, or equal parts of each run seed.

    Args:
        run_seeds: how many there are.
        inputs: of each run seed; a list that turns out shorter leaves the last blocks with fewer, or none.
        wanted: seed inputs of a block.
        together: so many are searched as one and stay in one block.
    """
    if wanted >= inputs:
        return of_run_seeds(run_seeds, wanted // inputs)
    parts = -(-inputs // wanted)
    size = -(-inputs // parts // together) * together
    return [
        Block(range(seed, seed + 1), range(first, min(first + size, inputs)))
        for seed in range(run_seeds)
        for first in range(0, inputs, size)
    ]
