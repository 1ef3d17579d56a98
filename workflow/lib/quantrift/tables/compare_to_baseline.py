"""Kind ``compare_to_baseline``: every tool and group of tools beside a baseline, as in DiverGet's Table 4."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from quantrift.config.datasets import Dataset
from quantrift.config.targets import BaselineTable
from quantrift.metrics.published import published_dataset
from quantrift.tables.baseline_rows import PUBLISHED, TESTED, Row, adjusted, read_printed, subject_rows
from quantrift.tables.baseline_views import header, results, tests
from quantrift.tables.runs import INTERVALS, RATES, load
from quantrift.tables.write import Table, write

STATISTICS = (
    "pairs",
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
)


def make(
    target: BaselineTable,
    metrics: Sequence[Path],
    datasets: Mapping[str, Dataset],
    published: Path | None,
    out_stem: Path,
    *,
    scale: str,
    provenance: Mapping[str, Any],
    titles: Mapping[str, str],
) -> None:
    """Write the table: of each subject the baseline, each tool that has data, and each group.

    CSV columns: ``dataset``, ``model``, ``compression``, ``tool`` (or group), ``run_seeds``, ``inputs`` (of a run
    seed), the rates (fractions; medians over run seeds; of a group the mean of its tools' medians), ``queries``;
    ``<rate>_low``, ``<rate>_high`` (95 %), ``<rate>_mean`` and its interval; the statistics against the baseline,
    first those of ``dir`` without prefix, then ``dir_unique_p`` ...; ``published_...``; ``scale``. A12, rank-biserial
    and shift are positive or above 0.5 where the row's tool has the larger rate. Subjects that only the paper has
    follow with our columns empty.

    Args:
        target: what to compare.
        metrics: per-run-seed CSVs of all subjects and tools; their order is the order of rows.
        datasets: settings of the datasets.
        published: file of the paper's numbers, if any.
        out_stem: path without suffix.
        scale: id of the configuration.
        provenance: values for ``<stem>.provenance.json``.
        titles: tool -> its name for people; a tool that is not in it goes by its id.

    Raises:
        QuantriftError: the results cannot be compared, or the published file names a tool or group not in the target.
    """
    measured = load(metrics)
    printed = read_printed(target, published)
    rows: list[Row] = []
    shown = set()
    for subject, tools in measured.items():
        key = (published_dataset(subject[0], datasets), *subject[1:])
        shown.add(key)
        rows += subject_rows(target, subject, tools, printed.get(key, {}))
    rows = adjusted(rows)
    for subject, of_tools in printed.items():
        if subject not in shown:
            rows += [Row(subject, name, (name,), None, {}, {}, numbers) for name, numbers in of_tools.items()]
    names = {name: titles.get(name, name) for name in dict.fromkeys(row.name for row in rows)}
    files = {"/".join((*row.subject, row.name)): row.runs.file for row in rows if row.runs and row.runs.file}
    files |= {f"published/{published.name}": published} if published else {}
    table = Table(
        title=target.title,
        header=header(rows, target, names, scale, published),
        data=_data(rows, scale),
        views=[results(rows, names, datasets), tests(rows, names, datasets)],
        timing=_timing(rows),
        files=files,
    )
    write(table, out_stem, provenance)


def _data(rows: Sequence[Row], scale: str) -> pd.DataFrame:
    records = []
    for row in rows:
        record: dict[str, Any] = dict(zip(("dataset", "model", "compression"), row.subject, strict=True))
        record |= {"tool": row.name, "run_seeds": None, "inputs": None}
        if row.runs:
            record |= {"run_seeds": len(row.runs.series), "inputs": row.runs.inputs, "scale": scale, **row.runs.cells}
        for rate, comparison in row.comparisons.items():
            facts = asdict(comparison) | {"p_holm": row.holm[rate]}
            record |= {_statistic(rate, name): facts[name] for name in STATISTICS}
        records.append(record | {f"published_{what}": value for what, value in row.published.items()})
    counts = [_statistic(rate, "pairs") for rate in TESTED]
    words = [_statistic(rate, "magnitude") for rate in TESTED]
    columns = ["dataset", "model", "compression", "tool", "run_seeds", "inputs", *RATES]
    columns += [f"{rate}_{end}" for rate in INTERVALS for end in ("low", "high")]
    columns += [f"{rate}_{end}" for rate in INTERVALS for end in ("mean", "mean_low", "mean_high")]
    columns += [_statistic(rate, name) for rate in TESTED for name in STATISTICS]
    columns += [f"published_{what}" for what in PUBLISHED] + ["scale"]
    texts = {"dataset", "model", "compression", "tool", "scale", *words}
    whole = {"run_seeds", "inputs", *counts}
    frame = pd.DataFrame(records, columns=columns)
    kinds = {name: "Int64" if name in whole else "float64" for name in columns if name not in texts}
    return frame.astype(kinds)


def _statistic(rate: str, name: str) -> str:
    return name if rate == TESTED[0] else f"{rate}_{name}"


def _timing(rows: Sequence[Row]) -> pd.DataFrame:
    """Seconds of all run seeds and the median rate of candidates, of each single tool."""
    records = []
    for row in rows:
        if row.runs and row.runs.timing is not None:
            dataset, model, compression = row.subject
            record = {"dataset": dataset, "model": model, "compression": compression, "tool": row.name}
            seconds, speed = (row.runs.timing[name] for name in ("seconds", "candidates_per_second"))
            records.append(record | {"seconds": seconds.sum(), "candidates_per_second": speed.median()})
    names = ["dataset", "model", "compression", "tool", "seconds", "candidates_per_second"]
    return pd.DataFrame(records, columns=names)
