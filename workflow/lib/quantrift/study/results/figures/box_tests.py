"""Series over run seeds behind box plots, by panel and box, and tests between the boxes of a panel."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Literal, get_args

import pandas as pd

from quantrift.core.base.errors import refuse
from quantrift.core.statistics.published import SUBJECT
from quantrift.core.statistics.signed_rank import a12, magnitude, mann_whitney, published_p
from quantrift.core.statistics.statistics import compare, holm

Rate = Literal["dir", "dir_unique", "dir_valid", "sr", "vr"]
RATES: list[Rate] = list(get_args(Rate))
By = Literal["tool", "compression", "dataset"]
Key = tuple[str, ...]
LABELS = ("first", "second", "rate", "paired", "run_seeds")
BOUNDS = ("p_below", "a12_above")
"""Names of the bounds that a paper states for all tests of a figure, after the name of their rate in its file."""
Bounds = Mapping[frozenset[str], Mapping[str, float]]
"""Two boxes, by their names in the paper's file -> their published bounds."""


@dataclass(frozen=True)
class Panels:
    """Series by panel and box, in the order shown."""

    keys: list[str]
    """Names that tell panels apart: some of dataset, model, compression."""
    boxes: list[str]
    """Names of the boxes, the same in each panel."""
    series: Mapping[Key, Mapping[str, pd.DataFrame]]
    """Panel -> box -> ``RATES`` by run seed, ascending; a box that was not run is missing."""
    averaged: list[str]
    """Tools over which each value is a mean; empty where boxes are tools."""


def panels(runs: pd.DataFrame, by: By) -> Panels:
    """Divide per-run-seed metrics into panels and boxes.

    Where boxes are no tools, a value is the mean over the tools of its run seed; a box that lacks a tool or a run seed
    of one is missing, as the mean of the others would be another quantity.

    Args:
        runs: rows of per-run-seed CSVs, in the order of what is shown.
        by: what boxes are.
    """
    keys = [key for key in SUBJECT if key != by]
    tools = list(dict.fromkeys(runs["tool"]))
    series: dict[Key, dict[str, pd.DataFrame]] = {}
    for names, rows in runs.groupby([*keys, by], sort=False):
        *panel, box = (str(name) for name in names)
        found = rows.groupby("run_seed")[RATES]
        if by == "tool" or (rows["tool"].nunique() == len(tools) and (found.size() == len(tools)).all()):
            series.setdefault(tuple(panel), {})[box] = found.mean()
    return Panels(keys, list(dict.fromkeys(runs[by])), series, [] if by == "tool" else tools)


def published_bounds(file: Path | None, by: str) -> Bounds:
    """The bounds that a file with columns ``by``, ``first``, ``second`` states for boxes of compressions or datasets.

    Raises:
        QuantriftError: the file has other columns.
    """
    if file is None:
        return {}
    table = pd.read_csv(file)
    columns = ["by", "first", "second", *(f"{rate}_{name}" for rate in RATES for name in BOUNDS)]
    refuse(
        (
            not {*columns[:3]} <= {*table.columns} <= {*columns},
            f"{file}: a figure by {by} takes bounds of pairs of boxes, in columns {', '.join(columns)}",
        )
    )
    own = table[table["by"] == by].set_index(["first", "second"]).drop(columns="by").astype("float64")
    return {
        frozenset(map(str, pair)): dict(zip(own.columns, row, strict=True))
        for pair, row in zip(own.index, own.to_numpy(), strict=True)
    }


def with_bounds(tests: pd.DataFrame, bounds: Bounds, filed: Mapping[str, str]) -> pd.DataFrame:
    """The tests with columns ``published_p_below`` and ``published_a12_above``.

    Args:
        tests: of ``box_tests``.
        bounds: of the paper.
        filed: box -> its name in the paper's file.
    """
    pairs = [frozenset((filed[one], filed[other])) for one, other in zip(tests["first"], tests["second"], strict=True)]
    stated = {
        name: [bounds.get(pair, {}).get(f"{rate}_{name}") for pair, rate in zip(pairs, tests["rate"], strict=True)]
        for name in BOUNDS
    }
    return tests.assign(
        **{f"published_{name}": pd.Series(own, index=tests.index, dtype="float64") for name, own in stated.items()}
    )


def box_tests(panels: Panels, *, shown: str, paired: bool, test: bool) -> pd.DataFrame:
    """One row for each pair of boxes of a panel and each rate; Holm over the tests of the rate that is shown.

    Columns: the keys of the panel, ``first``, ``second`` (boxes), ``rate``, ``paired``, ``run_seeds`` (pairs, or values
    of the shorter series), ``p`` (two-sided: signed-rank where paired, else rank-sum), ``p_min``, ``p_holm``,
    ``p_as_published`` (Wilcoxon's test of pairs by number of the run seed with zeros dropped, as the paper has it even
    where run seeds share no inputs), ``a12`` (above 0.5 where the first is larger), ``magnitude``, and of paired ones
    ``rank_biserial``, ``shift``, ``shift_low``, ``shift_high`` (fractions).

    Args:
        panels: the series.
        shown: the rate of the figure; p-values of the others, which explore, are not adjusted.
        paired: whether the boxes of a panel share their inputs.
        test: False where run seeds share inputs: no p and no interval is given.
    """
    rows = [
        dict(zip(panels.keys, panel, strict=True))
        | {"first": first, "second": second, "rate": rate}
        | _tested(boxes[first][rate], boxes[second][rate], paired, test)
        for panel, boxes in panels.series.items()
        for first, second in combinations([box for box in panels.boxes if box in boxes], 2)
        for rate in RATES
    ]
    table = pd.DataFrame(
        rows,
        columns=[
            *panels.keys,
            *LABELS,
            "p",
            "p_min",
            "p_holm",
            "p_as_published",
            "a12",
            "magnitude",
            "rank_biserial",
            "shift",
            "shift_low",
            "shift_high",
        ],
    )
    planned = table["p"].where(table["rate"] == shown)
    table["p_holm"] = holm([None if pd.isna(p) else float(p) for p in planned])
    return table


def _tested(first: pd.Series, second: pd.Series, paired: bool, test: bool) -> dict[str, object]:
    one, other = first.align(second, join="inner")
    if paired:
        found = compare(one.to_numpy(), other.to_numpy(), test=test)
        return found | {"paired": True, "run_seeds": found.pop("pairs")}
    x, y = first.dropna().to_numpy(), second.dropna().to_numpy()
    if not len(x) or not len(y):
        return {"paired": False, "run_seeds": 0}
    effect = a12(x, y)
    result = {"paired": False, "run_seeds": min(len(x), len(y)), "a12": effect, "magnitude": magnitude(effect)}
    if test and (tested := mann_whitney(x, y)):
        as_published = published_p((one - other).dropna().to_numpy())
        result |= {"p": tested[0], "p_min": tested[1], "p_as_published": as_published}
    return result
