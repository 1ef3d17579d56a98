"""Summary of the records of one tool on one candidate, by the metrics of the workflow."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from quantrift.assess.assessment import Need, Shrunk
from quantrift.assess.profiles import Planned
from quantrift.assess.tool_result import ClassRate, Confusion, DistortionOdds, Queries, Rate, ToolResult
from quantrift.metrics import distortion_counts, odds, query_counts
from quantrift.metrics.clustered import clustered
from quantrift.metrics.intervals import wilson
from quantrift.metrics.run_seeds import read_intervals
from quantrift.search.record_columns import searches_path
from quantrift.search.record_metadata import settings

NET = ("dir", "dir_unique", "dir_valid", "sr")
CONFUSIONS = 10
"""Most pairs of labels listed."""
NEEDS = 10
"""Most sets of distortions listed, of each size."""
EXAMPLES = 24
"""Most shrunk inputs listed one by one."""


@dataclass(frozen=True)
class Files:
    """Result files of one tool on one candidate."""

    records: Path
    """Candidates table."""
    metrics: Path
    """By run seed (``quantrift.metrics.run_seeds``), with intervals beside it."""
    shrunk: Path | None
    layers: Path | None


def rate(value: float, low: float, high: float) -> Rate:
    """A rate; NaN becomes undefined."""
    return Rate(*(None if math.isnan(one) else float(one) for one in (value, low, high)))


def result(tool: Planned, files: Files, class_names: Sequence[str], root: Path) -> ToolResult:
    """Results of a tool; files are named relative to ``root``."""
    searches = pd.read_parquet(searches_path(files.records))
    rates = read_intervals(files.metrics)
    net = pd.read_csv(files.metrics).iloc[0]
    told = {name: rate(*rates.loc[name, ["pooled", "pooled_low", "pooled_high"]]) for name in ("dir", *NET[1:], "vr")}
    told["dir_valid"] = rate(*clustered(searches["dii"].to_numpy(), searches["valid"].to_numpy()))
    if len(searches) == 1:
        told = {name: Rate(one.value, None, None) for name, one in told.items()}
    found = pd.read_parquet(files.records, columns=["label_original", "label_compressed"])
    return ToolResult(
        tool=tool.id,
        title=tool.title,
        kind=tool.kind,
        judged=tool.judged,
        samples=tool.samples,
        searches=len(searches),
        successes=int((searches["dii"] > 0).sum()),
        evaluations=int(searches["generated"].sum()),
        valid=int(searches["valid"].sum()),
        dii=int(searches["dii"].sum()),
        seconds=float(searches["seconds"].sum()),
        first_attack=tool.budget.stop.first_attack,
        **told,
        net={name: None if pd.isna(net[f"{name}_net"]) else float(net[f"{name}_net"]) for name in NET},
        classes=_classes(searches, class_names),
        confusions=_confusions(found, class_names),
        odds=_odds(files.records),
        queries=_queries(searches_path(files.records)) if tool.budget.stop.first_attack else None,
        records=_named(files.records, root),
        shrunk=_named(files.shrunk, root) if files.shrunk else None,
        layers=_named(files.layers, root) if files.layers else None,
    )


def shrunk(tool: str, path: Path, class_names: Sequence[str], rows: dict[tuple[int, int], int]) -> list[Shrunk]:
    """Examples of shrunk inputs, from as many seed inputs as possible.

    Args:
        tool: id.
        path: outcome of ``quantrift.records.shrinking``.
        class_names: of the labels.
        rows: (seed input, evaluation) -> row in the file of difference-inducing inputs.
    """
    outcome = distortion_counts.read(path)
    # One of each seed input first, then a second one.
    order = outcome.shrunk.groupby("input").cumcount().sort_values(kind="stable").index[:EXAMPLES]
    return [
        Shrunk(
            tool=tool,
            seed=int(row["input"]),
            evaluation=int(row["evaluation"]),
            true_label=class_names[row["true_label"]],
            label_original=class_names[row["label_original"]],
            label_compressed=class_names[row["label_compressed"]],
            distortions=_switched(int(row["active"]), outcome.distortions),
            smallest=[_switched(int(one), outcome.distortions) for one in row["sets"]],
            exact=bool(row["exact"]),
            dii=rows.get((int(row["input"]), int(row["evaluation"]))),
        )
        for row in (outcome.shrunk.loc[place] for place in order)
    ]


def needs(tool: str, path: Path) -> list[Need]:
    """The smallest sets of distortions that shrunk inputs need, most frequent first."""
    outcome = distortion_counts.read(path)
    told = []
    for size in sorted(set(outcome.shrunk["size"])):
        for one in outcome.frequent(size, NEEDS):
            share = outcome.share(outcome.having(one))
            told.append(
                Need(
                    tool,
                    _switched(one, outcome.distortions),
                    rate(share.share, share.low, share.high),
                    len(outcome.shrunk),
                )
            )
    return sorted(told, key=lambda need: -(need.share.value or 0))


def _switched(active: int, names: Sequence[str]) -> list[str]:
    return [name for place, name in enumerate(names) if active >> place & 1]


def _named(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


def _classes(searches: pd.DataFrame, class_names: Sequence[str]) -> list[ClassRate]:
    told = []
    for label, own in searches.groupby("true_label"):
        hits = int((own["dii"] > 0).sum())
        low, high = wilson(hits, len(own))
        told.append(
            ClassRate(
                name=class_names[int(str(label))],
                seeds=len(own),
                successes=hits,
                sr=rate(hits / len(own), low, high),
                evaluations=int(own["generated"].sum()),
                dii=int(own["dii"].sum()),
            )
        )
    return told


def _confusions(found: pd.DataFrame, class_names: Sequence[str]) -> list[Confusion]:
    labels = found[["label_original", "label_compressed"]].to_numpy(np.int64)
    pairs, counts = np.unique(labels[labels[:, 0] != labels[:, 1]], axis=0, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:CONFUSIONS]
    return [
        Confusion(class_names[pairs[place, 0]], class_names[pairs[place, 1]], int(counts[place])) for place in order
    ]


def _odds(records: Path) -> list[DistortionOdds]:
    if not settings(records)["distortions"]:
        return []
    counted = odds.read([records])
    if not len(counted.total):
        return []
    told = odds.odds([counted])
    rows = []
    for place, name in enumerate(counted.distortions):
        one = rate(*(float(ends[place]) for ends in (told.ratio, told.low, told.high)))
        rows.append(DistortionOdds(name, one.value, one.low, one.high, bool(told.corrected[place])))
    return sorted(rows, key=lambda row: -(row.ratio or 0))


def _queries(searches: Path) -> Queries | None:
    # One tool on one subject, so their names do not matter.
    cells: dict[str, Any] = query_counts.spread(query_counts.seeds(query_counts.load({("given",) * 5: [searches]})))
    if "queries_median" not in cells:
        return None
    average = rate(*(float(cells.get(f"queries_average{end}", np.nan)) for end in ("", "_low", "_high")))
    return Queries(float(cells["queries_median"]), average.value, average.low, average.high)
