"""Metrics of run seeds, as the rule of that name writes them."""

from pathlib import Path

from tests.factories import searches

from quantrift.core.base.paths import Paths
from quantrift.core.statistics import run_seeds

SEARCHED = {
    "dataset": "sim_pavia",
    "model": "hybridsn",
    "compression": "ptq_int8",
    "tool": "random",
    "protocol": "rq1",
}
"""Searches that metrics belong to by default."""


def write(folder: Path, tool: str, dii: list[int], **other: str) -> Path:
    """Metrics of a tool with two inputs a run seed, the first of which yields ``dii[run seed]``; returns the CSV.

    ``other`` are further names of what was searched than those of ``SEARCHED``. A block is written beside it.
    """
    of = SEARCHED | {"tool": tool} | other
    rows = [searches.found(seed, 2 * seed + n, count * (1 - n)) for seed, count in enumerate(dii) for n in (0, 1)]
    paths = Paths(folder)
    block = searches.write(rows, paths.searches(**of))
    run_seeds.write([block], of, paths.metrics(**of))
    return paths.metrics(**of)
