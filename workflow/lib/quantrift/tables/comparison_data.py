"""What machines read of a comparison: one row a tool or group, and the times apart."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd

from quantrift.metrics.published import SUBJECT
from quantrift.tables.comparison import Row
from quantrift.tables.runs import ENDS, INTERVALS, RATES, Runs

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
TIMING = ("seconds", "candidates_per_second")


def data(
    rows: Sequence[Row], tested: Sequence[str], published: Sequence[str], scale: str, *, labels: Sequence[str] = ()
) -> pd.DataFrame:
    """The rows as numbers: keys, rates with intervals, statistics, published numbers, ``scale``.

    The statistics of ``tested[0]`` have no prefix. Of a row without runs all cells of ours are empty.

    Args:
        rows: what to show, in order.
        tested: rates that have statistics.
        published: what may be printed of a row.
        scale: id of the configuration.
        labels: of ``against`` (the group compared with) and ``subjects`` (how many the row is a mean over), the
            columns that follow ``tool``.
    """
    records = []
    for row in rows:
        record: dict[str, Any] = dict(zip(SUBJECT, row.subject, strict=True)) | {"tool": row.name}
        record |= {"against": row.against, "subjects": len(row.subjects) or None}
        if row.runs:
            record |= {"run_seeds": len(row.runs.series), "inputs": row.runs.inputs, "scale": scale, **row.runs.cells}
            record |= {f"{rate}_rests_on": words for rate, words in row.runs.rests_on.items()}
        for rate, comparison in row.comparisons.items():
            facts = asdict(comparison) | {"p_holm": row.holm[rate]}
            record |= {statistic(rate, name, tested): facts[name] for name in STATISTICS}
        records.append(record | {f"published_{what}": value for what, value in row.published.items()})
    counts = [statistic(rate, "pairs", tested) for rate in tested]
    words = [statistic(rate, "magnitude", tested) for rate in tested]
    columns = [*SUBJECT, "tool", *labels, "run_seeds", "inputs", *RATES]
    columns += [f"{rate}_{end}" for rate in INTERVALS for end in ENDS[:2]]
    columns += [f"{rate}_{end}" for rate in INTERVALS for end in (*ENDS[2:], "rests_on")]
    columns += [statistic(rate, name, tested) for rate in tested for name in STATISTICS]
    columns += [f"published_{what}" for what in published] + ["scale"]
    texts = {*SUBJECT, "tool", "against", "scale", *words, *(f"{rate}_rests_on" for rate in INTERVALS)}
    whole = {"run_seeds", "inputs", "subjects", *counts}
    frame = pd.DataFrame(records, columns=columns)
    kinds = {name: "Int64" if name in whole else "float64" for name in columns if name not in texts}
    return frame.astype(kinds)


def statistic(rate: str, name: str, tested: Sequence[str]) -> str:
    """Name of a statistic's column."""
    return name if rate == tested[0] else f"{rate}_{name}"


def timing(measured: Mapping[tuple[str, ...], Runs], keys: Sequence[str]) -> pd.DataFrame:
    """Seconds of all run seeds and the median rate of candidates, of each single tool; ``keys`` name what it is."""
    records = []
    for key, runs in measured.items():
        if runs.timing is not None:
            seconds, speed = (runs.timing[name] for name in TIMING)
            records.append((*key, seconds.sum(), speed.median()))
    return pd.DataFrame(records, columns=[*keys, *TIMING])
