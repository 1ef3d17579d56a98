"""Summary of the records of one tool on one candidate, by the metrics of the workflow."""

import csv
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from quantrift.core.base import table_files
from quantrift.core.base.table_columns import Arrays, taken
from quantrift.core.search.record_columns import searches_path, settings
from quantrift.core.statistics import disagreements, distortion_counts, odds, query_counts
from quantrift.core.statistics.clustered import clustered
from quantrift.core.statistics.intervals import wilson
from quantrift.judge.verdict.assessment import Need, Shrunk
from quantrift.judge.verdict.profiles import Planned
from quantrift.judge.verdict.tool_result import ClassRate, Confusion, DistortionOdds, Queries, Rate, ToolResult

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
    """By run seed (``quantrift.core.statistics.run_seeds``), with intervals beside it."""
    shrunk: Path | None
    layers: Path | None


def rate(value: float, low: float, high: float) -> Rate:
    """A rate; NaN becomes undefined."""
    return Rate(*(None if math.isnan(one) else float(one) for one in (value, low, high)))


def result(tool: Planned, files: Files, class_names: Sequence[str], root: Path) -> ToolResult:
    """Results of a tool; files are named relative to ``root``."""
    searches = table_files.read(searches_path(files.records))
    rates = {row["metric"]: row for row in _rows(files.metrics.with_suffix(".intervals.csv"))}
    [net] = _rows(files.metrics)
    told = {
        name: rate(*(_number(rates[name][f"pooled{end}"]) for end in ("", "_low", "_high")))
        for name in ("dir", *NET[1:], "vr")
    }
    told["dir_valid"] = rate(*clustered(searches["dii"], searches["valid"]))
    if len(searches["input"]) == 1:
        told = {name: Rate(one.value, None, None) for name, one in told.items()}
    found = table_files.read(files.records, ["label_original", "label_compressed"])
    return ToolResult(
        tool=tool.id,
        title=tool.title,
        kind=tool.kind,
        judged=tool.judged,
        samples=tool.samples,
        searches=len(searches["input"]),
        successes=int((searches["dii"] > 0).sum()),
        evaluations=int(searches["generated"].sum()),
        valid=int(searches["valid"].sum()),
        dii=int(searches["dii"].sum()),
        seconds=float(searches["seconds"].sum()),
        first_attack=tool.budget.stop.first_attack,
        **told,
        net={name: rate(_number(net[f"{name}_net"]), np.nan, np.nan).value for name in NET},
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
        path: outcome of ``quantrift.core.search.records.shrinking``.
        class_names: of the labels.
        rows: (seed input, evaluation) -> row in the file of difference-inducing inputs.
    """
    outcome = distortion_counts.read(path)
    columns, seen = outcome.shrunk, Counter[int]()
    turns = []
    for seed in columns["input"].tolist():
        turns.append(seen[seed])
        seen[seed] += 1
    # One of each seed input first, then a second one.
    order = np.argsort(turns, kind="stable")[:EXAMPLES].tolist()
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
        for row in ({name: one[place] for name, one in columns.items()} for place in order)
    ]


def needs(tool: str, path: Path) -> list[Need]:
    """The smallest sets of distortions that shrunk inputs need, most frequent first."""
    outcome = distortion_counts.read(path)
    told = []
    for size in sorted(set(outcome.shrunk["size"].tolist())):
        for one in outcome.frequent(size, NEEDS):
            share = outcome.share(outcome.having(one))
            told.append(
                Need(
                    tool,
                    _switched(one, outcome.distortions),
                    rate(share.share, share.low, share.high),
                    len(outcome),
                )
            )
    return sorted(told, key=lambda need: -(need.share.value or 0))


def _switched(active: int, names: Sequence[str]) -> list[str]:
    return [name for place, name in enumerate(names) if active >> place & 1]


def _rows(path: Path) -> list[dict[str, str]]:
    """Rows of a .csv file of ``quantrift.core.statistics.run_seeds``."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _number(text: str) -> float:
    return float(text or "nan")


def _named(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


def _classes(searches: Arrays, class_names: Sequence[str]) -> list[ClassRate]:
    told = []
    for label in np.unique(searches["true_label"]).tolist():
        own = taken(searches, searches["true_label"] == label)
        hits, seeds = int((own["dii"] > 0).sum()), len(own["dii"])
        low, high = wilson(hits, seeds)
        told.append(
            ClassRate(
                name=class_names[label],
                seeds=seeds,
                successes=hits,
                sr=rate(hits / seeds, low, high),
                evaluations=int(own["generated"].sum()),
                dii=int(own["dii"].sum()),
            )
        )
    return told


def _confusions(found: Arrays, class_names: Sequence[str]) -> list[Confusion]:
    labels = np.stack([found["label_original"], found["label_compressed"]], axis=1).astype(np.int64)
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
    found = disagreements.read({("given",) * 5: [searches]})
    found["queries"] = query_counts.queries(found)
    cells = query_counts.spread(taken(found, ~found["seed_disagrees"].astype(bool)))
    if "queries_median" not in cells:
        return None
    average = rate(*(float(cells.get(f"queries_average{end}", np.nan)) for end in ("", "_low", "_high")))
    return Queries(float(cells["queries_median"]), average.value, average.low, average.high)
