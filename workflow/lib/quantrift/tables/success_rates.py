"""Kind ``success_rates``: on how many seed inputs each tool reaches its goal, as in DiffChaser's Tables 1 and 2."""

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from quantrift.config.datasets import Dataset
from quantrift.config.diffchaser_targets import SuccessTable
from quantrift.config.errors import QuantriftError
from quantrift.metrics import disagreements
from quantrift.metrics.given import Given
from quantrift.metrics.intervals import of_inputs, unit_of
from quantrift.metrics.mcnemar import mcnemar
from quantrift.metrics.published import SUBJECT
from quantrift.metrics.statistics import holm
from quantrift.tables import printed_tools
from quantrift.tables.printed import title
from quantrift.tables.text import estimate, p_value, percent, plain, whole
from quantrift.tables.write import Table, View, write

PRINTED = ("sr", "seconds")
"""What a published file may say of a tool."""
COUNTS = ("inputs", "differing_inputs", "n_success", "n_alone", "n_other_alone")
NUMBERS = ("sr", "sr_low", "sr_high", "to_success_median", "spent_average", "p", "p_holm", "published_sr")
COLUMNS = (*SUBJECT, "tool", "against", *COUNTS, *NUMBERS[:3], "sr_rests_on", *NUMBERS[3:], "scale")
TIMES = ("seconds", "seconds_success_average", "sr_within", "published_seconds")
Rows = list[dict[str, Any]]


def make(target: SuccessTable, given: Given, out_stem: Path) -> None:
    """Write the table: a row for each pair of tools on a subject, or for its one tool; empty rows of tools not run.

    CSV columns: ``dataset``, ``model``, ``compression``, ``tool``, ``against`` (the other tool), ``inputs``,
    ``differing_inputs`` (on which the models disagree before any search), ``n_success``, ``n_alone`` (the tool
    succeeds, the other does not), ``n_other_alone``, ``sr`` and its interval (fractions), ``sr_rests_on`` (in words, on
    how few inputs with a success it rests, if so few), ``to_success_median`` (candidates, over successes),
    ``spent_average`` (candidates, failures charged in full), ``p`` (McNemar, exact), ``p_holm`` (over the table),
    ``published_sr``, ``scale``. Times, the paper's too, are in the timing file.

    Args:
        target: what to show.
        given: files ``.../<dataset>/<model>/<compression>/<tool>/<protocol>/<block>.searches.parquet``; its published
            file with the paper's ``<tool>_sr`` (fractions) and ``<tool>_seconds``, if any.
        out_stem: path without suffix.

    Raises:
        QuantriftError: there is no search, tools of a subject started from different inputs, or the published file
            has another column.
    """
    if not given.files:
        raise QuantriftError(f"table {out_stem.name}: its experiments have no searches; name others in `from`")
    found = disagreements.load(given.files)
    rows: Rows = []
    timing: Rows = []
    for subject, of_subject in found.groupby(list(SUBJECT), sort=False):
        keys = dict(zip(SUBJECT, subject, strict=True))
        own = {str(tool): one for tool, one in of_subject.groupby("tool", sort=False)}
        rows += [keys | row for row in _rows(own, "/".join(map(str, subject)))]
        timing += [keys | {"tool": tool, **_times(one, target.timeout)} for tool, one in own.items()]
    adjusted = holm([row.get("p") for row in rows])
    rows = [row | {"p_holm": p, "scale": given.scale} for row, p in zip(rows, adjusted, strict=True)]
    printed = printed_tools.read(given.published_file, PRINTED)
    names = target.published_as
    data = pd.DataFrame(printed_tools.beside(rows, printed, ["sr"], names, given.datasets), columns=[*COLUMNS])
    data = data.astype(dict.fromkeys(COUNTS, "Int64") | dict.fromkeys(NUMBERS, "float64"))
    times = pd.DataFrame(
        printed_tools.beside(timing, printed, ["seconds"], names, given.datasets), columns=[*SUBJECT, "tool", *TIMES]
    )
    table = Table(
        title=target.title,
        header=_header(target, data, int(found["spent"].max()), given.scale),
        data=data,
        views=_views(data, given.titles, given.datasets),
        timing=times,
        files=given.named_files(),
    )
    write(table, out_stem, given.provenance)


def _rows(tools: Mapping[str, pd.DataFrame], subject: str) -> Rows:
    """The tools of one subject: as the first of each pair, and the last by itself."""
    indexed = {tool: one.set_index(["run_seed", "input", "target"]).sort_index() for tool, one in tools.items()}
    cells = {tool: _cells(one) for tool, one in indexed.items()}
    rows: Rows = []
    for tool, other in combinations(tools, 2):
        first, second = indexed[tool], indexed[other]
        if not first.index.equals(second.index):
            raise QuantriftError(
                f"{subject}: {tool} and {other} started from different inputs; search them under one protocol"
            )
        result = mcnemar(first["success"].to_numpy(bool), second["success"].to_numpy(bool))
        test = {"against": other, "n_alone": result.first, "n_other_alone": result.second, "p": result.p}
        rows.append({"tool": tool, **cells[tool], **test})
    last = list(tools)[-1]
    return [*rows, {"tool": last, **cells[last]}]


def _cells(searches: pd.DataFrame) -> dict[str, Any]:
    inputs, clusters = searches.index.get_level_values("input").to_numpy(), searches["cluster"].to_numpy()
    found = of_inputs(clusters, searches["success"].to_numpy(), unit_of(inputs, clusters))
    return {
        "inputs": len(searches),
        "differing_inputs": int(searches["seed_disagrees"].sum()),
        "n_success": int(searches["success"].sum()),
        "sr": found.share,
        "sr_low": found.low,
        "sr_high": found.high,
        "sr_rests_on": found.rests_on,
        "to_success_median": float(searches["fdi"].median()),
        "spent_average": float(searches["fdi"].fillna(searches["spent"]).mean()),
    }


def _times(searches: pd.DataFrame, timeout: float | None) -> dict[str, float]:
    success, seconds = searches["success"], searches["seconds"]
    within = float((success & (seconds <= timeout)).mean()) if timeout else np.nan
    return {
        "seconds": float(seconds.sum()),
        "seconds_success_average": float(seconds[success].mean()),
        "sr_within": within,
    }


def _header(target: SuccessTable, data: pd.DataFrame, most: int, scale: str) -> list[str]:
    inputs = ", ".join(map(str, sorted(data["inputs"].dropna().unique()))) or "none"
    lines = [target.caption] if target.caption else []
    lines += [
        f"Scale: {scale}. Seed inputs of each tool: {inputs}. A search ends with the generation in which it reaches "
        f"its goal, at the latest after {most:,} candidates.",
        "SR: share of the seed inputs for which the goal is reached, with its 95 % interval (Wilson). Inputs on which "
        "the models differ before any search cannot succeed and count as failures. Cells that were not run are empty.",
    ]
    tests = int(data["p"].notna().sum())
    if tests:
        lines.append(
            "Pairs of tools on the same inputs: McNemar's exact test, which looks at inputs where exactly one of the "
            f"two succeeds; Holm over the {tests} tests of this table."
        )
    return lines


def _views(data: pd.DataFrame, titles: Mapping[str, str], datasets: Mapping[str, Dataset]) -> list[View]:
    def labels(rows: pd.DataFrame) -> dict[str, list[str]]:
        return {
            "dataset": [title(dataset, datasets) for dataset in rows["dataset"]],
            "network": rows["model"].tolist(),
            "compression": rows["compression"].tolist(),
            "tool": [titles.get(tool, tool) for tool in rows["tool"]],
        }

    once = data.drop_duplicates([*SUBJECT, "tool"])
    shown = [
        View.of(
            "Success",
            labels(once)
            | {
                "inputs": map(whole, once["inputs"]),
                "successes": map(whole, once["n_success"]),
                "SR %": map(estimate, once["sr"], once["sr_low"], once["sr_high"], once["sr_rests_on"]),
                "candidates to success, median": [plain(value, 0) for value in once["to_success_median"]],
                "candidates, mean": [plain(value, 0) for value in once["spent_average"]],
                "published SR %": map(percent, once["published_sr"]),
            },
        )
    ]
    tests = data[data["against"].notna()]
    if len(tests):
        cells = labels(tests) | {
            "against": [titles.get(tool, tool) for tool in tests["against"]],
            "only the tool": map(whole, tests["n_alone"]),
            "only the other": map(whole, tests["n_other_alone"]),
            "p": map(p_value, tests["p"]),
            "p, Holm": map(p_value, tests["p_holm"]),
        }
        shown.append(View.of("Tests", cells))
    return shown
