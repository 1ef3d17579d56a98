"""Kind ``minimal_distortions``: how many distortions difference-inducing inputs need, and which."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from quantrift.config.datasets import Dataset
from quantrift.config.targets import MinimalTable
from quantrift.metrics.given import Given
from quantrift.metrics.minimal import Minimal, read
from quantrift.metrics.searched import Searched
from quantrift.tables import printed
from quantrift.tables.text import estimate, percent, plain, whole
from quantrift.tables.write import Table, View, write

KEYS = ("dataset", "model", "compression", "tool", "size", "distortions")
ANY = "any"
"""In the column of distortions: all sets of the size together."""
SINGLE = 1
COLUMNS = {
    "run_seeds": "Int64",
    "inputs": "Int64",
    "n_shrunk": "Int64",
    "n_left_out": "Int64",
    "exact_share": "float64",
    "before_average": "float64",
    "after_average": "float64",
    "before_share": "float64",
    "after_share": "float64",
    "after_share_low": "float64",
    "after_share_high": "float64",
    "after_share_rests_on": "object",
}
"""Columns after the keys, with their types."""


def make(target: MinimalTable, files: Mapping[Searched, Path], given: Given, out_stem: Path) -> None:
    """Write the table: of each subject and tool a row for each size, then rows for its most frequent sets.

    CSV columns: ``dataset``, ``model``, ``compression``, ``tool``, ``size`` (number of distortions), ``distortions``
    (``any``, or a set), ``run_seeds`` and ``inputs`` (seed inputs of all run seeds, of which something was shrunk),
    ``n_shrunk`` (difference-inducing inputs), ``n_left_out`` (more of them, whose seed inputs the models disagree on),
    ``exact_share`` (all subsets were tried in order of size), ``before_average`` and ``after_average`` (mean number of
    distortions), ``before_share`` (inputs with so many switched on), ``after_share`` (inputs that need so many; of a
    set, inputs that have it among their smallest sets) with its 95 % interval ``after_share_low`` and
    ``after_share_high`` (bootstrap over seed inputs), ``after_share_rests_on`` (in words, where there is none, as fewer
    than three seed inputs have such an input), ``scale``. A tool that found nothing has one row without sizes.

    Args:
        target: its title, caption and number of sets.
        files: (dataset, model, compression, tool) -> outcome of rule ``shrink``.
        given: what every kind of table is made from.
        out_stem: path without suffix.
    """
    rows: list[dict[str, Any]] = []
    for key, file in files.items():
        keys = dict(zip(KEYS, key, strict=False))
        rows += [keys | row | {"scale": given.scale} for row in _rows(read(file), target.sets)]
    data = pd.DataFrame(rows, columns=[*KEYS, *COLUMNS, "scale"]).astype({**COLUMNS, "size": "Int64"})
    once = data.drop_duplicates(list(KEYS[:4]))
    header = [target.caption] if target.caption else []
    seeds = ", ".join(f"{value}" for value in sorted(once["run_seeds"].dropna().unique()))
    header.append(
        f"Scale: {given.scale}. Run seeds that found something: {seeds}. Difference-inducing inputs: "
        f"{whole(int(once['n_shrunk'].sum()))}, and {whole(int(once['n_left_out'].sum()))} that are left out."
    )
    if (once["exact_share"] < 1).any():
        header.append("Inputs with many distortions were shrunk one distortion at a time; there may be smaller sets.")
    views = [
        _summary(once, data, given.datasets, given.titles),
        _sizes(data, given.datasets, given.titles),
        _sets(data, given.datasets, given.titles),
    ]
    named = {"/".join(key): file for key, file in files.items()}
    write(Table(target.title, header, data, views, files=named), out_stem, given.provenance)


def _rows(found: Minimal, most: int) -> list[dict[str, Any]]:
    table = found.shrunk
    common: dict[str, Any] = {"distortions": ANY, "n_shrunk": len(table), "n_left_out": found.left_out}
    if table.empty:
        return [common]
    before, after = table["size_before"].to_numpy(), table["size"].to_numpy()
    common |= {
        "run_seeds": table["run_seed"].nunique(),
        "inputs": len(table.drop_duplicates(["run_seed", "input"])),
        "exact_share": table["exact"].mean(),
        "before_average": before.mean(),
        "after_average": after.mean(),
    }
    rows = []
    for size in range(int(min(before.min(), after.min(), SINGLE)), int(before.max()) + 1):
        rows.append(common | {"size": size, "before_share": (before == size).mean()} | _after(found, after == size))
        for one in found.frequent(size, most):
            rows.append(common | {"size": size, "distortions": found.named(one)} | _after(found, found.having(one)))
    return rows


def _after(found: Minimal, chosen: np.ndarray) -> dict[str, Any]:
    share = found.share(chosen)
    ends = {"after_share_low": share.low, "after_share_high": share.high}
    return {"after_share": share.share} | ends | {"after_share_rests_on": share.rests_on}


def _summary(
    once: pd.DataFrame, data: pd.DataFrame, datasets: Mapping[str, Dataset], titles: Mapping[str, str]
) -> View:
    alone = data[(data["size"] == SINGLE) & (data["distortions"] == ANY)].set_index(list(KEYS[:4]))
    singles = [alone.loc[key] if key in alone.index else None for key in once[list(KEYS[:4])].itertuples(index=False)]
    cells = _keys(once, datasets, titles) | {
        "DII": map(whole, once["n_shrunk"]),
        "left out": map(whole, once["n_left_out"]),
        "distortions before": map(plain, once["before_average"]),
        "distortions needed": map(plain, once["after_average"]),
        "a single one suffices % [95 %]": ("" if one is None else _with_interval(one) for one in singles),
    }
    return View.of("Before and after", cells)


def _sizes(data: pd.DataFrame, datasets: Mapping[str, Dataset], titles: Mapping[str, str]) -> View:
    rows = data[(data["distortions"] == ANY) & data["size"].notna()]
    cells = _keys(rows, datasets, titles) | {
        "number of distortions": map(whole, rows["size"]),
        "have so many %": map(percent, rows["before_share"]),
        "need so many % [95 %]": (_with_interval(row) for _, row in rows.iterrows()),
    }
    return View.of("How many distortions", cells)


def _sets(data: pd.DataFrame, datasets: Mapping[str, Dataset], titles: Mapping[str, str]) -> View:
    rows = data[data["distortions"] != ANY]
    cells = _keys(rows, datasets, titles) | {
        "number of distortions": map(whole, rows["size"]),
        "distortions": (name.replace("_", " ") for name in rows["distortions"]),
        "suffice for % [95 %]": (_with_interval(row) for _, row in rows.iterrows()),
    }
    return View.of("Most frequent smallest sets", cells)


def _keys(rows: pd.DataFrame, datasets: Mapping[str, Dataset], titles: Mapping[str, str]) -> dict[str, Iterable[str]]:
    return {
        "dataset": [printed.title(dataset, datasets) for dataset in rows["dataset"]],
        "model": rows["model"],
        "compression": rows["compression"],
        "tool": [titles.get(name, name) for name in rows["tool"]],
    }


def _with_interval(row: pd.Series) -> str:
    return estimate(row["after_share"], row["after_share_low"], row["after_share_high"], row["after_share_rests_on"])
