"""Kind ``activation``: how much more often difference-inducing inputs have each distortion switched on."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from quantrift.config.datasets import Dataset
from quantrift.config.targets import ActivationTable
from quantrift.metrics.given import Given
from quantrift.metrics.odds import DII, OTHER, Activation, odds, read
from quantrift.metrics.rates import quotient
from quantrift.metrics.searched import Searched
from quantrift.tables import printed
from quantrift.tables.text import percent, plain, whole
from quantrift.tables.write import Table, View, write

Subject = tuple[str, str, str]
KEYS = ("dataset", "model", "compression", "tool", "distortion")
COLUMNS = {
    "run_seeds": "Int64",
    "inputs": "Int64",
    "n_dii": "Int64",
    "n_other": "Int64",
    "inputs_dii": "Int64",
    "dii_on_share": "float64",
    "other_on_share": "float64",
    "odds_ratio": "float64",
    "odds_ratio_low": "float64",
    "odds_ratio_high": "float64",
    "odds_ratio_rests_on": "object",
    "corrected": "boolean",
}
"""Columns after the keys, with their types."""


def make(target: ActivationTable, files: Mapping[Searched, Sequence[Path]], given: Given, out_stem: Path) -> None:
    """Write the table: of each subject and tool, and each group of tools, a row for each distortion.

    CSV columns: ``dataset``, ``model``, ``compression``, ``tool`` (or group), ``distortion``, ``run_seeds``, ``inputs``
    (seed inputs of all run seeds on which the models agree), ``n_dii`` and ``n_other`` (distinct valid candidates that
    are difference-inducing, and that are not), ``inputs_dii`` (seed inputs with at least one difference-inducing
    input), ``dii_on_share`` and ``other_on_share`` (fractions of these that have the distortion switched on),
    ``odds_ratio`` with ``odds_ratio_low`` and ``odds_ratio_high`` (95 %), ``odds_ratio_rests_on`` (in words, where
    there is none, as fewer than three seed inputs have a difference-inducing input), ``corrected`` (1/2 was added to
    the counts because one was 0), ``scale``. Of a group, counts are sums over its tools and odds ratios are pooled
    (Mantel-Haenszel); it has no row where a tool was not searched.

    Args:
        target: its title, caption and groups.
        files: (dataset, model, compression, tool) -> candidates tables of its blocks.
        given: what every kind of table is made from.
        out_stem: path without suffix.

    Raises:
        QuantriftError: records are damaged, or tools of a group cannot be pooled.
    """
    subjects: dict[Subject, dict[str, Activation]] = {}
    for (dataset, model, compression, tool), blocks in files.items():
        subjects.setdefault((dataset, model, compression), {})[tool] = read(blocks)
    rows: list[dict[str, Any]] = []
    for subject, tools in subjects.items():
        members = {name: [tool] for name, tool in tools.items()}
        for name, group in target.groups.items():
            if all(tool in tools for tool in group):
                members[name] = [tools[tool] for tool in group]
        for name, counted in members.items():
            keys = dict(zip(KEYS, (*subject, name), strict=False))
            rows += [keys | row | {"scale": given.scale} for row in _rows(counted)]
    data = pd.DataFrame(rows, columns=[*KEYS, *COLUMNS, "scale"]).astype(COLUMNS)
    header = [target.caption] if target.caption else []
    header.append(
        f"Scale: {given.scale}. Run seeds: {_all(data['run_seeds'])}. Seed inputs on which the models agree: "
        f"{_all(data['inputs'])}. Distinct valid candidates are counted."
    )
    pooled = [
        f"{name}: {', '.join(given.titles.get(tool, tool) for tool in group)}" for name, group in target.groups.items()
    ]
    if pooled:
        header.append(f"Pooled over tools (Mantel-Haenszel, a stratum a tool): {'; '.join(pooled)}.")
    if data["corrected"].any():
        header.append("Where a count is 0, 1/2 is added to all four (Haldane-Anscombe); such rows are marked.")
    named = {"/".join((*key, block.name)): block for key, blocks in files.items() for block in blocks}
    table = Table(target.title, header, data, [_view(data, given.datasets, given.titles)], files=named)
    write(table, out_stem, given.provenance)


def _rows(counted: Sequence[Activation]) -> list[dict[str, Any]]:
    """The row of each distortion, of one tool or several."""
    first = counted[0]
    total = np.sum([one.total for one in counted], axis=0)
    on, sums = np.sum([one.on.sum(axis=0) for one in counted], axis=0), total.sum(axis=0)
    found = odds(counted)
    common = {
        "run_seeds": len(np.unique(first.run_seeds)),
        "inputs": len(first.inputs),
        "n_dii": sums[DII],
        "n_other": sums[OTHER],
        "inputs_dii": int((total[:, DII] > 0).sum()),
    }
    shares = quotient(on, np.repeat(sums[:, None], on.shape[1], axis=1))
    return [
        common
        | {
            "distortion": name,
            "dii_on_share": shares[DII, place],
            "other_on_share": shares[OTHER, place],
            "odds_ratio": found.ratio[place],
            "odds_ratio_low": found.low[place],
            "odds_ratio_high": found.high[place],
            "odds_ratio_rests_on": found.rests_on,
            "corrected": found.corrected[place],
        }
        for place, name in enumerate(first.distortions)
    ]


def _view(data: pd.DataFrame, datasets: Mapping[str, Dataset], titles: Mapping[str, str]) -> View:
    cells: dict[str, Iterable[str]] = {
        "dataset": (printed.title(dataset, datasets) for dataset in data["dataset"]),
        "model": data["model"],
        "compression": data["compression"],
        "tool": (titles.get(name, name) for name in data["tool"]),
        "distortion": (name.replace("_", " ") for name in data["distortion"]),
        "DII": map(whole, data["n_dii"]),
        "other valid": map(whole, data["n_other"]),
        "inputs with DII": map(whole, data["inputs_dii"]),
        "on in DII %": map(percent, data["dii_on_share"]),
        "on in other valid %": map(percent, data["other_on_share"]),
        "odds ratio [95 %]": map(
            _odds_ratio,
            *(data[f"odds_ratio{end}"] for end in ("", "_low", "_high")),
            data["odds_ratio_rests_on"],
            data["corrected"],
        ),
    }
    return View.of("Odds of each distortion being switched on (* corrected)", cells)


def _odds_ratio(ratio: float, low: float, high: float, rests_on: str, corrected: bool) -> str:
    if ratio != ratio:
        return ""
    ends = f"[{plain(low)}, {plain(high)}]" if low == low else f"({rests_on})"
    return f"{plain(ratio)} {ends}{'*' if corrected else ''}"


def _all(values: pd.Series) -> str:
    """The different values of a column."""
    return ", ".join(f"{value:,}" for value in sorted(values.dropna().unique()))
