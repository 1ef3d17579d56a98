"""Kind ``queries``: success and queries of tools, each against one of them on the same inputs (TriggerFinder)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from quantrift.config.errors import QuantriftError
from quantrift.config.triggerfinder_targets import QueryTable
from quantrift.metrics import queries
from quantrift.metrics.given import Given
from quantrift.metrics.published import SUBJECT
from quantrift.metrics.statistics import holm
from quantrift.tables import printed_tools
from quantrift.tables.query_pairs import FACTORS, Measure, Pairs, overall, with_factors
from quantrift.tables.query_views import header, views
from quantrift.tables.write import Table, write

COUNTS = ("subjects", "run_seeds", "inputs", "differing_inputs", "n_success")
QUERIES = tuple(f"queries_{name}" for name in ("average", "average_low", "average_high", "penalised"))
TESTS = tuple(f"queries_{name}" for name in ("ratio", "ratio_low", "ratio_high", "a12", "rank_biserial"))
P_VALUES = ("queries_p", "queries_p_min", "queries_p_holm")
NUMBERS = (
    *("sr", "sr_low", "sr_high", "sr_least"),
    *QUERIES,
    *(f"queries_{name}" for name in queries.QUANTILES),
    *(f"queries_{name}" for name in FACTORS),
    *TESTS,
    *P_VALUES,
    *("published_sr", "published_sr_least", "published_queries"),
    *(f"published_queries_{name}" for name in FACTORS),
)
COLUMNS = (*SUBJECT, "tool", "against", *COUNTS, "sr_rests_on", *NUMBERS, "scale")
TIMES = (
    *("subjects", "seconds", "seconds_success_average", "sr_within"),
    *(f"seconds_{name}" for name in FACTORS),
    "published_seconds",
    *(f"published_seconds_{name}" for name in FACTORS),
)
PRINTED = (
    *("sr", "sr_least", "queries", "seconds"),
    *(f"queries_{name}" for name in queries.QUANTILES),
    *(f"{measure}_{name}" for measure in ("queries", "seconds") for name in FACTORS),
)
"""What a published file may say of a tool; factors, and the smallest SR, in its row without a subject."""
SHOWN = ("sr", "queries", *(f"queries_{name}" for name in queries.QUANTILES))
PRINTED_QUANTILES = [f"published_queries_{name}" for name in queries.QUANTILES]
"""Columns that stand there where a file has them."""
Rows = list[dict[str, Any]]


def make(target: QueryTable, given: Given, out_stem: Path) -> None:
    """Write the table: a row for each tool on a subject, then a row for each tool over subjects.

    CSV columns: ``dataset``, ``model``, ``compression`` (empty over subjects), ``tool``, ``against`` (the baseline),
    ``subjects`` (of a row over them), ``run_seeds``, ``inputs`` (seed inputs of all run seeds), ``differing_inputs``
    (left out, as the models disagree before any search), ``n_success``, ``sr_rests_on`` (in words, on how few inputs
    with a success the next ones rest, if so few); ``sr``, and ``queries_`` as ``metrics.queries`` has them;
    ``queries_factor`` (mean queries over those of ``against``; over subjects the mean of their factors) with its other
    forms (``tables.query_pairs``); ``queries_ratio`` (geometric mean over inputs, over subjects that of theirs) with
    ``queries_p`` and effect sizes, Holm over the table; ``published_`` numbers; ``scale``. The same of every run seed
    is in ``<stem>.repetitions.csv``, and times, the paper's too, in the timing file.

    Args:
        target: what to show.
        given: files ``.../<dataset>/<model>/<compression>/<tool>/<protocol>/<block>.searches.parquet``; its published
            file with the paper's ``<tool>_sr`` (fractions), ``<tool>_queries`` and ``<tool>_seconds``, if any.
        out_stem: path without suffix.

    Raises:
        QuantriftError: there is no search, tools of a subject started from different inputs, or the published file
            has another column.
    """
    if not given.files:
        raise QuantriftError(f"table {out_stem.name}: its experiments have no searches; name others in `from`")
    everything = queries.load(given.files)
    rows: Rows = []
    timing: Rows = []
    ratios: dict[str, list[queries.Ratio]] = {}
    for subject, of_subject in everything.groupby(list(SUBJECT), sort=False):
        keys = dict(zip(SUBJECT, subject, strict=True))
        own = {str(tool): one for tool, one in of_subject.groupby("tool")}
        for tool in (name for name in target.tools if name in own):
            cells, compared = _cells(own, tool, target.baseline, "/".join(map(str, subject)))
            if compared:
                ratios.setdefault(tool, []).append(compared)
            rows.append(keys | {"tool": tool} | cells)
            timing.append(keys | {"tool": tool, "against": cells["against"], **_times(own[tool], target.timeout)})
    adjusted = holm([row.get("queries_p") for row in rows])
    rows = [row | {"queries_p_holm": p} for row, p in zip(rows, adjusted, strict=True)]
    printed = printed_tools.read(given.published_file, PRINTED)
    pairs = Pairs(target.tools, target.baseline, printed, target.published_as, given.datasets)
    data = _frame(rows, Measure("queries", "queries_average"), pairs, SHOWN, ratios)
    data["scale"] = pd.Series(given.scale, index=data.index).where(data["run_seeds"].notna() | data["sr"].notna())
    quantiles = [name for name in PRINTED_QUANTILES if name in data and data[name].notna().any()]
    data = data.reindex(columns=[*COLUMNS[:-1], *quantiles, "scale"])
    data = data.astype(dict.fromkeys(COUNTS, "Int64") | dict.fromkeys([*NUMBERS, *quantiles], "float64"))
    times = _frame(timing, Measure("seconds", "seconds_success_average"), pairs, ("seconds",))
    table = Table(
        title=target.title,
        header=header(target, data, int(everything["spent"].max()), given.scale, given.titles),
        data=data,
        views=views(data, given.titles, given.datasets),
        timing=times.reindex(columns=[*SUBJECT, "tool", "against", *TIMES]),
        details={"repetitions": _repetitions(queries.seeds(everything))},
        files=given.named_files(),
    )
    write(table, out_stem, given.provenance)


def _cells(
    tools: Mapping[str, pd.DataFrame], tool: str, baseline: str | None, subject: str
) -> tuple[dict[str, Any], queries.Ratio | None]:
    """A tool on one subject, and how it compares with the baseline, if that is another one and was run."""
    kept = queries.seeds(tools[tool])
    cells: dict[str, Any] = {
        "against": None,
        "run_seeds": tools[tool]["run_seed"].nunique(),
        "inputs": len(kept),
        "differing_inputs": len(tools[tool]) - len(kept),
        **queries.spread(kept),
    }
    if baseline is None or tool == baseline or baseline not in tools or not len(kept):
        return cells, None
    found = queries.ratio(kept, queries.seeds(tools[baseline]), subject)
    tests = {"p": found.p, "p_min": found.p_min, "a12": found.a12, "rank_biserial": found.rank_biserial}
    return cells | {"against": baseline} | _ratio([found]) | {f"queries_{name}": tests[name] for name in tests}, found


def _ratio(found: Sequence[queries.Ratio]) -> dict[str, float]:
    names = ("queries_ratio", "queries_ratio_low", "queries_ratio_high")
    return dict(zip(names, queries.over(found), strict=True))


def _frame(
    rows: Rows,
    measure: Measure,
    pairs: Pairs,
    shown: Sequence[str],
    ratios: Mapping[str, Sequence[queries.Ratio]] | None = None,
) -> pd.DataFrame:
    """Rows of subjects with the paper's numbers, then rows over subjects, with the ratio where there are several."""
    several = overall(rows, measure, pairs, rates="sr" in shown)
    for row in several:
        of_tool = (ratios or {}).get(row["tool"], ())
        if len(of_tool) > 1 and measure.own in row:
            row.update(_ratio(of_tool))
    printed = {subject: tools for subject, tools in pairs.printed.items() if any(subject)}
    of_subjects = printed_tools.beside(with_factors(rows, measure, pairs), printed, shown, pairs.names, pairs.datasets)
    return pd.DataFrame([*of_subjects, *several])


def _times(searches: pd.DataFrame, timeout: float | None) -> dict[str, float]:
    kept = queries.seeds(searches)
    success, seconds = kept["success"], kept["seconds"]
    return {
        "seconds": float(seconds.sum()),
        "seconds_success_average": float(seconds[success].mean()),
        "sr_within": float((success & (seconds <= timeout)).mean()) if timeout else np.nan,
    }


def _repetitions(searches: pd.DataFrame) -> pd.DataFrame:
    """Success and queries of each run seed."""
    rows = [
        dict(zip((*SUBJECT, "tool", "run_seed"), keys, strict=True))
        | {
            "inputs": len(own),
            "n_success": int(own["success"].sum()),
            "queries_average": own["fdi"].mean(),
            "queries_median": own["queries"].median(),
        }
        for keys, own in searches.groupby([*SUBJECT, "tool", "run_seed"], sort=False)
    ]
    return pd.DataFrame(rows)
