"""What people read of a comparison with a baseline: the header lines, the rates, and the tests."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from quantrift.config.datasets import Dataset
from quantrift.config.targets import BaselineTable
from quantrift.tables.baseline_rows import Row, family
from quantrift.tables.printed import title
from quantrift.tables.text import p_value, percent, plain, span
from quantrift.tables.write import View

RATE_HEADINGS = {
    "dir": "DiR %",
    "dir_unique": "DiR, distinct inputs %",
    "dir_valid": "DiR, valid inputs %",
    "sr": "SR %",
    "vr": "VR %",
}


def header(
    rows: Sequence[Row], target: BaselineTable, names: Mapping[str, str], scale: str, published: Path | None
) -> list[str]:
    """Lines above the cells: scale, run seeds, inputs, and how the numbers were computed."""
    seeds = sorted({len(row.runs.series) for row in rows if row.runs})
    inputs = sorted({row.runs.inputs for row in rows if row.runs})
    tests = family(rows)
    lines = [target.caption] if target.caption else []
    lines.append(f"Scale: {scale}. Run seeds: {_all(seeds)}. Inputs of each run seed: {_all(inputs)}.")
    lines.append(
        "Cells are medians over run seeds with 95 % intervals (SR: Wilson over inputs; others: bootstrap over inputs "
        "within run seeds); where more than half of the run seeds are 0, the mean stands beside. An empty cell was not "
        "run or is not defined."
    )
    for name, members in target.groups.items():
        tools = ", ".join(names.get(tool, tool) for tool in members)
        lines.append(f"{names.get(name, name)}: mean of the medians of {tools}.")
    if tests:
        floor = min(1.0, len(tests) * min(test.p_min or 1.0 for test in tests.values()))
        lines.append(
            f"Tests against {names.get(target.baseline, target.baseline)}, paired over run seeds: two-sided "
            "signed-rank test (Pratt), p = 1 where all differences are zero; Holm over the "
            f"{len(tests)} tests of this table, which can reach {p_value(floor)} at the lowest. A12, rank-biserial and "
            "shift (Hodges-Lehmann, percentage points, 95 %) favour the row's tool where they are above 0.5 and 0."
        )
    else:
        lines.append("No p-value is given: fewer than 6 run seeds, or run seeds that share inputs.")
    if published:
        lines.append(f"Published numbers: {published.name}, for the networks and data of the paper.")
    return lines


def results(rows: Sequence[Row], names: Mapping[str, str], datasets: Mapping[str, Dataset]) -> View:
    """Rates of each tool and group, published ones beside them."""
    cells = []
    for row in rows:
        record = _labels(row, names, datasets)
        for rate, heading in RATE_HEADINGS.items():
            record[heading] = _rate(row, rate)
        record["queries an input"] = plain(row.runs.cells["queries"], 1) if row.runs else ""
        record["published DiR %"] = percent(row.published.get("dir"))
        record["published VR %"] = percent(row.published.get("vr"))
        cells.append(record)
    return View("Rates", pd.DataFrame(cells))


def tests(rows: Sequence[Row], names: Mapping[str, str], datasets: Mapping[str, Dataset]) -> View:
    """One row a test against the baseline."""
    columns = ["dataset", "network", "compression", "tool", "rate", "pairs", "p", "smallest p possible", "p, Holm"]
    columns += ["p, zeros dropped", "A12", "magnitude", "rank-biserial", "shift", "published p", "published A12"]
    cells = []
    for row in rows:
        for rate, test in row.comparisons.items():
            if test.pairs:
                bounds = row.published if rate == "dir" else {}
                values = [RATE_HEADINGS[rate].removesuffix(" %"), str(test.pairs), p_value(test.p), p_value(test.p_min)]
                values += [p_value(row.holm[rate]), p_value(test.p_as_published), plain(test.a12, 3)]
                values += [test.magnitude or "", plain(test.rank_biserial)]
                values.append(percent(test.shift) + span(test.shift_low, test.shift_high))
                values.append(f"< {bounds['p_below']:.2g}" if "p_below" in bounds else "")
                values.append(f"> {bounds['a12_above']:.2g}" if "a12_above" in bounds else "")
                cells.append([*_labels(row, names, datasets).values(), *values])
    return View("Tests against the baseline", pd.DataFrame(cells, columns=columns, dtype=str))


def _labels(row: Row, names: Mapping[str, str], datasets: Mapping[str, Dataset]) -> dict[str, str]:
    dataset, model, compression = row.subject
    return {"dataset": title(dataset, datasets), "network": model, "compression": compression, "tool": names[row.name]}


def _rate(row: Row, rate: str) -> str:
    if row.runs is None:
        return ""
    cells = row.runs.cells
    text = percent(cells[rate]) + span(cells.get(f"{rate}_low"), cells.get(f"{rate}_high"))
    if row.runs.zero.get(rate):
        text += f"; mean {percent(cells[f'{rate}_mean'])}"
        text += span(cells[f"{rate}_mean_low"], cells[f"{rate}_mean_high"])
    return text


def _all(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) or "none"
