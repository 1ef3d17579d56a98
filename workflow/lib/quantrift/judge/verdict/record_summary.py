"""Summary of the records of one tool on one candidate, by the metrics of the workflow."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from quantrift.core.base import table_files
from quantrift.core.base.table_columns import Arrays, taken
from quantrift.core.page.arrangement import records
from quantrift.core.page.number_format import number
from quantrift.core.search.record_columns import searches_path, settings, switched_on
from quantrift.core.statistics import disagreements, distortion_counts, odds, query_counts
from quantrift.core.statistics.clustered import clopper_pearson, clustered
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
    shrunk: Path | None = None
    layers: Path | None = None


def rate(value: float, low: float, high: float) -> Rate:
    """A rate; NaN becomes undefined."""
    return Rate(*(None if math.isnan(one) else float(one) for one in (value, low, high)))


def exact(events: int, count: int) -> Rate:
    """A share of at least one case with Clopper and Pearson's interval; a single case has none."""
    share = events / count
    return Rate(share, *(clopper_pearson(share, count) if count > 1 else (None, None)))


def result(tool: Planned, files: Files, class_names: Sequence[str], root: Path) -> ToolResult:
    """Results of a tool; files are named relative to ``root``."""
    searches = table_files.read(searches_path(files.records))
    [net] = records(files.metrics)
    told = {
        row["metric"]: rate(*(float(row[f"pooled{end}"] or "nan") for end in ("", "_low", "_high")))
        for row in records(files.metrics.with_suffix(".intervals.csv"))
        if row["metric"] in (*NET, "vr")
    }
    told["dir_valid"] = rate(*clustered(searches["dii"], searches["valid"]))
    if len(searches["input"]) == 1:
        told = {name: Rate(one.value, None, None) for name, one in told.items()}
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
        net={name: number(net[f"{name}_net"]) for name in NET},
        classes=[
            _of_class(class_names[label], taken(searches, searches["true_label"] == label))
            for label in np.unique(searches["true_label"]).tolist()
        ],
        confusions=_confusions(table_files.read(files.records, ["label_original", "label_compressed"]), class_names),
        odds=_odds(files.records),
        queries=_queries(searches_path(files.records)) if tool.budget.stop.first_attack else None,
        records=files.records.relative_to(root).as_posix(),
        shrunk=files.shrunk.relative_to(root).as_posix() if files.shrunk else None,
        layers=files.layers.relative_to(root).as_posix() if files.layers else None,
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
    columns, seeds = outcome.shrunk, outcome.shrunk["input"].tolist()
    # One of each seed input first, then a second one.
    order = sorted(range(len(seeds)), key=lambda place: seeds[:place].count(seeds[place]))[:EXAMPLES]
    return [
        Shrunk(
            tool=tool,
            seed=int(row["input"]),
            evaluation=int(row["evaluation"]),
            true_label=class_names[row["true_label"]],
            label_original=class_names[row["label_original"]],
            label_compressed=class_names[row["label_compressed"]],
            distortions=switched_on(outcome.distortions, int(row["active"])),
            smallest=[switched_on(outcome.distortions, int(one)) for one in row["sets"]],
            exact=bool(row["exact"]),
            dii=rows.get((int(row["input"]), int(row["evaluation"]))),
        )
        for row in ({name: one[place] for name, one in columns.items()} for place in order)
    ]


def needs(tool: str, path: Path) -> list[Need]:
    """The smallest sets of distortions that shrunk inputs need, most frequent first."""
    outcome = distortion_counts.read(path)
    found = [one for size in sorted({*outcome.shrunk["size"].tolist()}) for one in outcome.frequent(size, NEEDS)]
    shares = [outcome.share(outcome.having(one)) for one in found]
    return sorted(
        [
            Need(tool, switched_on(outcome.distortions, one), rate(share.share, share.low, share.high), len(outcome))
            for one, share in zip(found, shares, strict=True)
        ],
        key=lambda need: -(need.share.value or 0),
    )


def _of_class(name: str, own: Arrays) -> ClassRate:
    """Results of the searches from seed inputs of one class."""
    hits, seeds = int((own["dii"] > 0).sum()), len(own["dii"])
    sr = rate(hits / seeds, *wilson(hits, seeds))
    return ClassRate(name, seeds, hits, sr, int(own["generated"].sum()), int(own["dii"].sum()))


def _confusions(found: Arrays, class_names: Sequence[str]) -> list[Confusion]:
    labels = np.stack([found["label_original"], found["label_compressed"]], axis=1).astype(np.int64)
    pairs, counts = np.unique(labels[labels[:, 0] != labels[:, 1]], axis=0, return_counts=True)
    return [
        Confusion(class_names[pairs[place, 0]], class_names[pairs[place, 1]], int(counts[place]))
        for place in np.argsort(-counts, kind="stable")[:CONFUSIONS]
    ]


def _odds(records: Path) -> list[DistortionOdds]:
    if not settings(records)["distortions"]:
        return []
    counted = odds.read([records])
    if not len(counted.total):
        return []
    told = odds.odds([counted])
    rates = [rate(*one) for one in np.stack([told.ratio, told.low, told.high], axis=1).tolist()]
    return sorted(
        [
            DistortionOdds(name, one.value, one.low, one.high, bool(is_corrected))
            for name, one, is_corrected in zip(counted.distortions, rates, told.corrected, strict=True)
        ],
        key=lambda row: -(row.ratio or 0),
    )


def _queries(searches: Path) -> Queries | None:
    # One tool on one subject, so their names do not matter.
    found = disagreements.read({("given",) * 5: [searches]})
    found["queries"] = query_counts.queries(found)
    cells = query_counts.spread(taken(found, ~found["seed_disagrees"].astype(bool)))
    if "queries_median" not in cells:
        return None
    average = rate(*(float(cells.get(f"queries_average{end}", np.nan)) for end in ("", "_low", "_high")))
    return Queries(float(cells["queries_median"]), average.value, average.low, average.high)
