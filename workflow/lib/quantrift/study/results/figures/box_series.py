"""Series over run seeds behind box plots, by panel and box."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import pandas as pd

from quantrift.core.statistics.published import SUBJECT

Rate = Literal["dir", "dir_unique", "dir_valid", "sr", "vr"]
RATES: list[Rate] = list(get_args(Rate))
By = Literal["tool", "compression", "dataset"]
Key = tuple[str, ...]


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
