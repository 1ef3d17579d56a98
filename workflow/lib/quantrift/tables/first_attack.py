"""Kind ``first_attack``: candidates and time up to the first difference-inducing input, as in DiverGet's Table 10."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from quantrift.config.comparison_targets import FirstAttackTable
from quantrift.config.datasets import Dataset
from quantrift.metrics.first_attack import CELLS, SECONDS, first_attack
from quantrift.metrics.given import Given
from quantrift.metrics.published import SUBJECT
from quantrift.tables import printed_tools
from quantrift.tables.printed import title
from quantrift.tables.runs import Subject
from quantrift.tables.text import percent, plain, whole
from quantrift.tables.write import Table, View, write

PUBLISHED = tuple(f"published_{name}" for name in SECONDS)
WHOLE = ("subjects", "run_seeds", "inputs", "common_inputs", "horizon")
HEADINGS = {
    "fdi": "FDI",
    "fdi_success": "FDI*",
    "fdi_common": "FDI*, inputs of all tools",
    "fdi_restricted": "FDI, up to the horizon",
}


def make(target: FirstAttackTable, given: Given, out_stem: Path) -> None:
    """Write the table: a row for each subject and tool, and means over subjects; empty rows of tools not run.

    CSV columns: ``dataset``, ``model``, ``compression`` (empty where the row is a mean over it), ``tool``,
    ``subjects``, ``run_seeds``, ``inputs`` (of a run seed), ``common_inputs`` (of all run seeds, on which all tools
    succeed), ``horizon`` (candidates), the medians over run seeds of ``quantrift.metrics.first_attack.CELLS`` (success
    rate a fraction, the others candidates), ``scale``. All times, the paper's too, are in the timing file.

    Args:
        target: which tool the published file calls what, and what rows are means over.
        given: files ``.../<dataset>/<model>/<compression>/<tool>/<protocol>/<block>.searches.parquet``; its published
            file with the paper's ``<name>_fdi_seconds`` and ``<name>_fdi_success_seconds``, if any.
        out_stem: path without suffix.

    Raises:
        QuantriftError: a column of the published file is of none of these kinds.
    """
    tools: dict[Subject, dict[str, list[Path]]] = {}
    for path in given.files:
        dataset, model, compression, tool = path.parts[-6:-2]
        tools.setdefault((dataset, model, compression), {}).setdefault(tool, []).append(path)
    rows = [row for subject, files in tools.items() for row in _rows(subject, files)]
    if target.rows is not None:
        rows += _means(rows, target.rows)
    printed = printed_tools.read(given.published_file, SECONDS)
    rows = printed_tools.beside(rows, printed, SECONDS, target.published_as, given.datasets)
    times = [*SECONDS, *PUBLISHED]
    data = pd.DataFrame(rows, columns=[*SUBJECT, "tool", *WHOLE, *CELLS, *times])
    data = data.astype(dict.fromkeys(WHOLE, "Int64") | dict.fromkeys([*CELLS, *times], "float64"))
    data["scale"] = [given.scale if ran else None for ran in data["run_seeds"].notna()]
    # Of other subjects the paper has times alone.
    ran = data.groupby(list(SUBJECT))["run_seeds"].transform("count") > 0
    table = Table(
        title=target.title,
        header=_header(target, data, given.scale),
        data=data[ran].drop(columns=times),
        views=[_view(data[ran], given.titles, given.datasets)],
        timing=data[[*SUBJECT, "tool", *times]],
        files=given.named_files(),
    )
    write(table, out_stem, given.provenance)


def _rows(subject: Subject, files: Mapping[str, Sequence[Path]]) -> list[dict[str, Any]]:
    """Each tool on one subject."""
    read = {tool: pd.concat([pd.read_parquet(path) for path in paths]) for tool, paths in files.items()}
    measured, horizon = first_attack(read)
    return [
        dict(zip(SUBJECT, subject, strict=True))
        | {"tool": tool, "subjects": 1, "run_seeds": len(table), "inputs": int(table["inputs"].iloc[0])}
        | {"common_inputs": int(table["common_inputs"].sum()), "horizon": horizon}
        | {name: float(table[name].median()) for name in (*CELLS, *SECONDS)}
        for tool, table in measured.items()
    ]


def _means(rows: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> list[dict[str, Any]]:
    """Means of the medians over all subjects that agree in ``keys``; none where a tool has not all of them."""
    alike: dict[Subject, dict[str, list[Mapping[str, Any]]]] = {}
    for row in rows:
        dataset, model, compression = (row[key] if key in keys else "" for key in SUBJECT)
        alike.setdefault((dataset, model, compression), {}).setdefault(row["tool"], []).append(row)
    return [
        dict(zip(SUBJECT, subject, strict=True))
        | {"tool": tool, "subjects": len(of_tool)}
        | {name: of_tool[0][name] for name in ("run_seeds", "inputs")}
        | {name: float(np.mean([row[name] for row in of_tool])) for name in (*CELLS, *SECONDS)}
        for subject, tools in alike.items()
        for tool, of_tool in tools.items()
        if len(of_tool) == max(map(len, tools.values()))
    ]


def _header(target: FirstAttackTable, data: pd.DataFrame, scale: str) -> list[str]:
    seeds, inputs = (", ".join(map(str, sorted(data[name].dropna().unique()))) for name in ("run_seeds", "inputs"))
    lines = [target.caption] if target.caption else []
    lines += [
        f"Scale: {scale}. Run seeds: {seeds or 'none'}. Inputs of each run seed: {inputs or 'none'}. No p-value is "
        "given.",
        "FDI: candidates evaluated up to the end of the generation of the first difference-inducing input, mean over "
        "all inputs, a failed search charged in full. FDI*: mean over the inputs where the tool succeeds, which differ "
        "from tool to tool; beside it over those where all tools of the subject do. Tools may fail after different "
        "numbers of candidates; up to the horizon all are charged alike. Cells are medians over run seeds; an empty "
        "one was not run or is not defined.",
    ]
    if target.rows is not None:
        lines.append('Rows that say "mean" are arithmetic means of the medians over subjects.')
    return lines


def _view(data: pd.DataFrame, titles: Mapping[str, str], datasets: Mapping[str, Dataset]) -> View:
    cells: dict[str, Iterable[str]] = {
        "dataset": [title(dataset, datasets) or "mean" for dataset in data["dataset"]],
        "network": [model or "mean" for model in data["model"]],
        "compression": [compression or "mean" for compression in data["compression"]],
        "tool": [titles.get(tool, tool) for tool in data["tool"]],
        "SR %": map(percent, data["sr"]),
    }
    cells |= {heading: [plain(value, 1) for value in data[name]] for name, heading in HEADINGS.items()}
    cells |= {"inputs of all tools": map(whole, data["common_inputs"]), "horizon": map(whole, data["horizon"])}
    return View.of("Candidates up to the first difference-inducing input", cells)
