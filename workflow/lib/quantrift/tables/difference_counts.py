"""Kind ``difference_counts``: inputs that differ before any search beside what a tool finds (DiverGet's Table 3)."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from quantrift.config.comparison_targets import DifferenceTable
from quantrift.config.datasets import Dataset
from quantrift.metrics.given import Given
from quantrift.metrics.run_seeds import read_intervals
from quantrift.tables import printed
from quantrift.tables.text import estimate, whole
from quantrift.tables.write import Table, View, write

KEYS = ("dataset", "model", "compression")
WHOLE = ("run_seeds", "inputs", "all_inputs", "differing_inputs", "n_generated", "n_dii", "n_success")
SHARES = ("differing_share", "sr", "dir_real")
RATES = tuple(f"{rate}{end}" for rate in SHARES for end in ("", "_low", "_high"))
RESTS_ON = tuple(f"{rate}_rests_on" for rate in SHARES)
PUBLISHED = ("differing_inputs", "n_dii")
COLUMNS = (*KEYS, "tool", *WHOLE, *RATES, *RESTS_ON, *(f"published_{name}" for name in PUBLISHED), "scale")


def make(target: DifferenceTable, given: Given, out_stem: Path) -> None:
    """Write the table: one row a subject, then those that only the paper has.

    CSV columns: ``dataset``, ``model``, ``compression``, ``tool``, ``run_seeds``, ``inputs`` (of a run seed),
    ``all_inputs`` (of all run seeds; one that several share counts in each), ``differing_inputs`` (those on which the
    models differ before any search), ``n_generated`` (candidates), ``n_dii``, ``n_success`` (inputs with a DII);
    ``differing_share`` = differing_inputs / all_inputs, ``sr`` = n_success / all_inputs, ``dir_real`` = n_dii /
    n_generated, each as a fraction with a 95 % interval, and in ``_rests_on`` in words on how few inputs it rests, if
    so few; ``published_differing_inputs``, ``published_n_dii``; ``scale``.

    Args:
        target: the tool, which the published file calls by its id.
        given: files per-run-seed CSVs of the tool on all subjects, their companions beside them; its published file
            with the paper's ``original_n_dii`` and ``<tool>_n_dii``, if any.
        out_stem: path without suffix.
    """
    tool = target.tools[0]
    numbers = printed.read([given.published_file] if given.published_file else [], KEYS)
    rows, files = [], {}
    for file in given.files:
        row = _row(file)
        key = tuple(str(row[name]) for name in KEYS)
        files["/".join((*key, tool))] = file
        rows.append(row | {"scale": given.scale} | _published(printed.beside(numbers, key, given.datasets), tool))
    shown = [tuple(str(row[name]) for name in KEYS) for row in rows]
    for key, alone in printed.alone(numbers, shown, given.datasets).items():
        rows.append(dict(zip(KEYS, key, strict=True)) | {"tool": tool} | _published(alone, tool))
    kinds = dict.fromkeys((*WHOLE, *(f"published_{name}" for name in PUBLISHED)), "Int64")
    kinds |= dict.fromkeys(RATES, "float64")
    data = pd.DataFrame(rows, columns=list(COLUMNS)).astype(kinds)
    files |= given.published_files
    seeds, inputs = (", ".join(map(str, sorted(data[name].dropna().unique()))) for name in ("run_seeds", "inputs"))
    header = [target.caption] if target.caption else []
    header += [
        f"Scale: {given.scale}. Run seeds: {seeds or 'none'}. Inputs of each run seed: {inputs or 'none'}. "
        f"Search: {given.titles.get(tool, tool)}.",
        "Shares of inputs have Wilson's 95 % intervals. The share of candidates has one by bootstrap over seed inputs, "
        "on scenes over spatial blocks, as the candidates of an input depend on each other, but none where fewer than "
        "three have a DII; they stand there in words. An empty cell was not run.",
    ]
    if given.published_file:
        header.append("Published numbers are the paper's counts, for its networks and data.")
    write(Table(target.title, header, data, [_view(data, given.datasets)], files=files), out_stem, given.provenance)


def _row(file: Path) -> dict[str, Any]:
    """Counts and rates of one subject."""
    table = pd.read_csv(file)
    intervals = read_intervals(file)
    inputs, generated, found = (int(table[name].sum()) for name in ("inputs", "n_generated", "n_dii"))
    agreeing, success = int(table["inputs_agreeing"].sum()), int(table["n_success"].sum())
    row: dict[str, Any] = {name: table[name].iloc[0] for name in (*KEYS, "tool", "inputs")}
    row |= {"run_seeds": len(table), "all_inputs": inputs, "differing_inputs": inputs - agreeing}
    row |= {"n_generated": generated, "n_dii": found, "n_success": success}
    row |= {"differing_share": (inputs - agreeing) / inputs, "sr": success / inputs, "dir_real": found / generated}
    for rate in SHARES:
        row |= {f"{rate}_{end}": intervals.loc[rate, f"pooled_{end}"] for end in ("low", "high")}
        row[f"{rate}_rests_on"] = intervals.loc[rate, "rests_on"]
    return row


def _published(numbers: Mapping[str, float], tool: str) -> dict[str, float]:
    names = {"differing_inputs": "original_n_dii", "n_dii": f"{tool}_n_dii"}
    return {f"published_{ours}": numbers[theirs] for ours, theirs in names.items() if theirs in numbers}


def _view(data: pd.DataFrame, datasets: Mapping[str, Dataset]) -> View:
    def rate(name: str) -> Iterable[str]:
        return list(map(estimate, data[name], *(data[f"{name}_{end}"] for end in ("low", "high", "rests_on"))))

    cells: dict[str, Iterable[str]] = {
        "dataset": [printed.title(dataset, datasets) for dataset in data["dataset"]],
        "network": data["model"],
        "compression": data["compression"],
        "inputs": map(whole, data["all_inputs"]),
        "differing": map(whole, data["differing_inputs"]),
        "of inputs %": rate("differing_share"),
        "candidates": map(whole, data["n_generated"]),
        "DIIs": map(whole, data["n_dii"]),
        "of candidates %": rate("dir_real"),
        "inputs with a DII %": rate("sr"),
        "published differing": map(whole, data["published_differing_inputs"]),
        "published DIIs": map(whole, data["published_n_dii"]),
    }
    return View.of("Counts and rates", cells)
