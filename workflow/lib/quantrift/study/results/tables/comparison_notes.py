"""Notes above a comparison: what was run, how cells are read, how tests were made."""

from collections.abc import Sequence

from quantrift.core.page.number_format import shown
from quantrift.study.results.tables.comparison import Row, family

CELLS = (
    "Rates are medians over run seeds, as in the papers, with their 95 % intervals (order statistics; none "
    "below 6 run seeds). Pooled rates are shares over all seed inputs, with 95 % intervals of their own (SR: Wilson; "
    "others: bootstrap over seed inputs, on scenes over spatial blocks). Where fewer than three inputs or blocks have "
    "an event, there is no bootstrap, and words give their number. An empty cell was not run or is not defined."
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
        f"{len(tests)} tests of this table. The lowest adjusted p that these can reach is {shown(floor, 'p')}. An A12 "
        f"above 0.5, or a rank-biserial correlation or a shift (Hodges-Lehmann, percentage points, 95 %) above 0, "
        f"favours {favours}."
    )


def _all(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) or "none"
