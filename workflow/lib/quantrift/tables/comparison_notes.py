"""Notes above a comparison: what was run, how cells are read, how tests were made."""

from collections.abc import Sequence

from quantrift.tables.comparison import Row, family
from quantrift.tables.number_format import shown

CELLS = (
    "Rates are medians over run seeds, as in the papers, with their 95 % intervals (order statistics; none "
    "below 6 run seeds); pooled ones are shares over all seed inputs, with 95 % intervals of their own (SR: Wilson; "
    "others: bootstrap over seed inputs, on scenes over spatial blocks). In words: so few have an event; from fewer "
    "than three no bootstrap is made. An empty cell was not run or is not defined."
)
NO_TEST = "No p-value is given: fewer than 6 run seeds, or run seeds that share inputs."


def size(rows: Sequence[Row], scale: str) -> str:
    """Scale, run seeds and inputs."""
    seeds = sorted({len(row.runs.series) for row in rows if row.runs})
    inputs = sorted({row.runs.inputs for row in rows if row.runs})
    return f"Scale: {scale}. Run seeds: {_all(seeds)}. Inputs of each run seed: {_all(inputs)}."


def tested(rows: Sequence[Row], whose: str, favours: str) -> str:
    """Note on the tests; ``whose``: the two sides compared, ``favours``: the side that positive effects favour."""
    tests = family(rows)
    if not tests:
        return NO_TEST
    floor = min(1.0, len(tests) * min(test.p_min or 1.0 for test in tests.values()))
    return (
        f"{whose}, paired over run seeds: two-sided "
        "signed-rank test (Pratt), p = 1 where all differences are zero; Holm over the "
        f"{len(tests)} tests of this table, which can reach {shown(floor, 'p')} at the lowest. A12, rank-biserial and "
        f"shift (Hodges-Lehmann, percentage points, 95 %) favour {favours} where they are above 0.5 and 0."
    )


def _all(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) or "none"
