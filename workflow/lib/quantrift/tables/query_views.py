"""What people see of a table of queries: each tool, each against the baseline, and both over subjects."""

from collections.abc import Mapping

import pandas as pd

from quantrift.config.datasets import Dataset
from quantrift.config.triggerfinder_targets import QueryTable
from quantrift.metrics import queries
from quantrift.metrics.intervals import FEWEST, few
from quantrift.metrics.published import SUBJECT
from quantrift.tables.printed import title
from quantrift.tables.text import estimate, missing, p_value, percent, plain, whole
from quantrift.tables.write import View


def header(target: QueryTable, data: pd.DataFrame, most: int, scale: str, titles: Mapping[str, str]) -> list[str]:
    """Lines above the cells.

    Args:
        target: caption and baseline.
        data: the CSV.
        most: candidates after which a search gives up.
        scale: id of the configuration.
        titles: tool -> its name for people.
    """
    of_subjects = data[data["run_seeds"].notna()]
    inputs = ", ".join(map(whole, sorted(of_subjects["inputs"].unique()))) or "none"
    repetitions = ", ".join(map(whole, sorted(of_subjects["run_seeds"].unique())))
    lines = [target.caption] if target.caption else []
    lines += [
        f"Scale: {scale}. Seed inputs of each tool: {inputs}, of {repetitions} repetitions. A search ends with its "
        f"first disagreement, at the latest after {most:,} queries.",
        "A query is one candidate put through both models; the seed input's own is not counted. Means are over "
        "successes as published, with the 95 % interval of a bootstrap over inputs, none where fewer than three have a "
        "success, which stand there in words; charged means, quantiles and tests count a failure with all its queries. "
        "Inputs on which the models disagree before any search are no seeds and left out.",
    ]
    tests = int(data["queries_p"].notna().sum())
    if target.baseline:
        lines.append(
            f"Against {titles.get(target.baseline, target.baseline)}, on the same inputs: the factor is mean over "
            "mean, the ratio the geometric mean over inputs with its interval; two-sided signed-rank test (Pratt) of "
            f"log queries with inputs as units, ranked within repetitions; Holm over the {tests} tests of this table. "
            "A12 above 0.5, and a factor above 1: the tool needs more."
        )
    return lines


def views(data: pd.DataFrame, titles: Mapping[str, str], datasets: Mapping[str, Dataset]) -> list[View]:
    """The views that have rows.

    Args:
        data: the CSV.
        titles: tool -> its name for people.
        datasets: settings of the datasets.
    """
    single = data[data["dataset"] != ""]
    compared = single[single["queries_ratio"].notna()]
    several = data[data["dataset"] == ""]
    shown = [View.of("Success and queries", _subjects(single, titles, datasets) | _tools(single))]
    if len(compared):
        shown.append(View.of("Tests", _subjects(compared, titles, datasets) | _tests(compared, titles)))
    printed = [name for name in queries.QUANTILES if f"published_queries_{name}" in data]
    if printed:
        quantiles = {
            f"{beginning}{_words(name)}": [plain(value, 0) for value in single[f"{prefix}queries_{name}"]]
            for name in printed
            for beginning, prefix in (("", ""), ("published ", "published_"))
        }
        shown.append(View.of("Quantiles of queries", _subjects(single, titles, datasets) | quantiles))
    if len(several):
        shown.append(View.of("Over networks and compressions", _several(several, titles)))
    return shown


def _words(quantile: str) -> str:
    return f"{queries.QUANTILES[quantile]:.0%}".replace("%", " %")


def _subjects(rows: pd.DataFrame, titles: Mapping[str, str], datasets: Mapping[str, Dataset]) -> dict[str, list[str]]:
    named = {key: rows[key].tolist() for key in SUBJECT}
    return {
        "dataset": [title(dataset, datasets) for dataset in named["dataset"]],
        "network": named["model"],
        "compression": [titles.get(one, one) for one in named["compression"]],
        "tool": [titles.get(tool, tool) for tool in rows["tool"]],
    }


def _tools(rows: pd.DataFrame) -> dict[str, list[str]]:
    return {
        "inputs": [whole(value) for value in rows["inputs"]],
        "SR %": list(map(estimate, rows["sr"], rows["sr_low"], rows["sr_high"], rows["sr_rests_on"])),
        "queries, mean": [
            text + (f" ({words})" if text and words else "")
            for text, words in zip(_with_interval(rows, "queries_average", 2), rows["sr_rests_on"], strict=True)
        ],
        **{
            heading: [plain(value, 1 if name == "penalised" else 0) for value in rows[f"queries_{name}"]]
            for heading, name in (
                ("charged mean", "penalised"),
                ("quartile 1", "q25"),
                ("median", "median"),
                ("quartile 3", "q75"),
                ("90 %", "q90"),
                ("99 %", "q99"),
                ("most", "most"),
            )
        },
        "published SR %": [percent(value) for value in rows["published_sr"]],
        "published queries": [plain(value) for value in rows["published_queries"]],
    }


def _tests(rows: pd.DataFrame, titles: Mapping[str, str]) -> dict[str, list[str]]:
    return {
        "against": [titles.get(tool, tool) for tool in rows["against"]],
        "factor": [plain(value, 3) for value in rows["queries_factor"]],
        "ratio": [
            text + (f" ({few(inputs)})" if inputs < FEWEST else "")
            for text, inputs in zip(_with_interval(rows, "queries_ratio", 3), rows["inputs"], strict=True)
        ],
        "p": [p_value(value) for value in rows["queries_p"]],
        "p, Holm": [p_value(value) for value in rows["queries_p_holm"]],
        "A12": [plain(value, 3) for value in rows["queries_a12"]],
        "rank-biserial": [plain(value) for value in rows["queries_rank_biserial"]],
        "published factor": [plain(value, 3) for value in rows["published_queries_factor"]],
    }


def _several(rows: pd.DataFrame, titles: Mapping[str, str]) -> dict[str, list[str]]:
    cells = {
        "tool": [titles.get(tool, tool) for tool in rows["tool"]],
        "against": ["" if missing(tool) else titles.get(tool, tool) for tool in rows["against"]],
        "pairs": [whole(value) for value in rows["subjects"]],
    }
    for beginning, prefix in (("", ""), ("published ", "published_")):
        average = "published_queries" if prefix else "queries_average"
        cells |= {
            f"{beginning}SR %, mean": [percent(value) for value in rows[f"{prefix}sr"]],
            f"{beginning}SR %, least": [percent(value) for value in rows[f"{prefix}sr_least"]],
            f"{beginning}queries, mean": [plain(value) for value in rows[average]],
        }
        cells |= {
            f"{beginning}{heading}": [plain(value, 3) for value in rows[f"{prefix}queries_{name}"]]
            for heading, name in (
                ("mean of factors", "factor"),
                ("factor of means", "factor_of_averages"),
                ("geometric mean of factors", "factor_geometric"),
                ("least factor", "factor_least"),
                ("largest factor", "factor_most"),
            )
        }
        if not prefix:
            cells["ratio"] = _with_interval(rows, "queries_ratio", 3)
    return cells


def _with_interval(rows: pd.DataFrame, column: str, decimals: int) -> list[str]:
    ends = (rows[f"{column}_{end}"] for end in ("low", "high"))
    return [
        plain(value, decimals) + ("" if missing(low) else f" [{plain(low, decimals)}, {plain(high, decimals)}]")
        for value, low, high in zip(rows[column], *ends, strict=True)
    ]
