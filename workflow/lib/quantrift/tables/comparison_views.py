"""What people read of a comparison: the header lines, the rates, and the tests."""

from collections.abc import Mapping, Sequence

import pandas as pd

from quantrift.config.datasets import Dataset
from quantrift.tables.comparison import Row, family
from quantrift.tables.printed import title
from quantrift.tables.text import estimate, p_value, percent, plain, span
from quantrift.tables.write import View

RATE_HEADINGS = {
    "dir": "DiR %",
    "dir_unique": "DiR, distinct inputs %",
    "dir_valid": "DiR, valid inputs %",
    "sr": "SR %",
    "vr": "VR %",
}
CELLS = (
    "Cells are shares pooled over all seed inputs with 95 % intervals (SR: Wilson; others: bootstrap over seed inputs, "
    "on scenes over spatial blocks), then the median over run seeds, as the papers print it, with its own interval "
    "(order statistics; none below 6 run seeds). In words: so few have an event; from fewer than three no bootstrap is "
    "made. An empty cell was not run or is not defined."
)
NO_TEST = "No p-value is given: fewer than 6 run seeds, or run seeds that share inputs."


def size(rows: Sequence[Row], scale: str) -> str:
    """Scale, run seeds and inputs."""
    seeds = sorted({len(row.runs.series) for row in rows if row.runs})
    inputs = sorted({row.runs.inputs for row in rows if row.runs})
    return f"Scale: {scale}. Run seeds: {_all(seeds)}. Inputs of each run seed: {_all(inputs)}."


def tested(rows: Sequence[Row], whose: str, favours: str) -> str:
    """How tests were made; ``whose``: of what against what, ``favours``: for what positive effects speak."""
    tests = family(rows)
    if not tests:
        return NO_TEST
    floor = min(1.0, len(tests) * min(test.p_min or 1.0 for test in tests.values()))
    return (
        f"{whose}, paired over run seeds: two-sided "
        "signed-rank test (Pratt), p = 1 where all differences are zero; Holm over the "
        f"{len(tests)} tests of this table, which can reach {p_value(floor)} at the lowest. A12, rank-biserial and "
        f"shift (Hodges-Lehmann, percentage points, 95 %) favour {favours} where they are above 0.5 and 0."
    )


def results(
    heading: str,
    rows: Sequence[Row],
    names: Mapping[str, str],
    datasets: Mapping[str, Dataset],
    *,
    rates: Sequence[str] = tuple(RATE_HEADINGS),
    published: Sequence[str] = ("dir", "vr"),
) -> View:
    """Rates of each tool or group, published ones beside them."""
    cells = []
    for row in rows:
        record = _labels(row, names, datasets)
        for rate in rates:
            record[RATE_HEADINGS[rate]] = _rate(row, rate)
        record["queries an input"] = plain(row.runs.cells["queries"], 1) if row.runs else ""
        for rate in published:
            record[f"published {RATE_HEADINGS[rate]}"] = percent(row.published.get(rate))
        cells.append(record)
    return View(heading, pd.DataFrame(cells))


def tests(
    heading: str,
    rows: Sequence[Row],
    names: Mapping[str, str],
    datasets: Mapping[str, Dataset],
    labels: Sequence[str],
) -> View:
    """One row a test; ``labels`` head the tool or group and, where given, the one it is compared with."""
    columns = ["dataset", "network", "compression", *labels, "rate", "pairs", "p", "smallest p possible", "p, Holm"]
    columns += ["p, zeros dropped", "A12", "magnitude", "rank-biserial", "shift", "published p", "published A12"]
    cells = []
    for row in rows:
        compared = [names.get(row.against, row.against)] if row.against else []
        for rate, test in row.comparisons.items():
            if test.pairs:
                bounds = row.published if rate == "dir" else {}
                values = [RATE_HEADINGS[rate].removesuffix(" %"), str(test.pairs), p_value(test.p), p_value(test.p_min)]
                values += [p_value(row.holm[rate]), p_value(test.p_as_published), plain(test.a12, 3)]
                values += [test.magnitude or "", plain(test.rank_biserial)]
                values.append(percent(test.shift) + span(test.shift_low, test.shift_high))
                values.append(f"< {bounds['p_below']:.2g}" if "p_below" in bounds else "")
                values.append(f"> {bounds['a12_above']:.2g}" if "a12_above" in bounds else "")
                cells.append([*_labels(row, names, datasets).values(), *compared, *values])
    return View(heading, pd.DataFrame(cells, columns=columns, dtype=str))


def _labels(row: Row, names: Mapping[str, str], datasets: Mapping[str, Dataset]) -> dict[str, str]:
    dataset, model, compression = (key or "mean" for key in row.subject)
    return {"dataset": title(dataset, datasets), "network": model, "compression": compression, "tool": names[row.name]}


def _rate(row: Row, rate: str) -> str:
    if row.runs is None:
        return ""
    cells = row.runs.cells
    low, high = cells[f"{rate}_pooled_low"], cells[f"{rate}_pooled_high"]
    text = estimate(cells[f"{rate}_pooled"], low, high, row.runs.rests_on[rate])
    # Of a single run seed both are the same.
    if text and len(row.runs.series) > 1:
        text += f"; median {estimate(cells[rate], cells[f'{rate}_low'], cells[f'{rate}_high'])}"
    return text


def _all(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) or "none"
