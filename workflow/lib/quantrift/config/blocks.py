"""Names of the blocks of run seeds that one search job each takes; read by searches, so without pydantic."""


def names(count: int, size: int) -> list[str]:
    """``seeds_000-004``, ...: ``count`` run seeds in blocks of ``size``."""
    return [f"seeds_{first:03d}-{min(first + size, count) - 1:03d}" for first in range(0, count, size)]


def run_seeds(block: str) -> range:
    """The run seeds of a block's name."""
    first, last = block.removeprefix("seeds_").split("-")
    return range(int(first), int(last) + 1)
