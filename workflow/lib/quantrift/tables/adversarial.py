"""Kind ``adversarial``: on how many adversarial samples of an original it and its compressed model disagree."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from quantrift.config.attacks import AdversarialTable
from quantrift.config.datasets import Dataset
from quantrift.metrics.given import Given
from quantrift.metrics.intervals import wilson
from quantrift.subjects.verdicts import Verdicts, read
from quantrift.tables import printed
from quantrift.tables.text import percent, plain, span, whole
from quantrift.tables.write import Table, View, write

KEYS = ("dataset", "model", "compression", "attack")
COLUMNS = {
    "attacked_inputs": "Int64",
    "differing_before": "Int64",
    "n_fooled": "Int64",
    "n_differing": "float64",
    "differing_share": "float64",
    "differing_share_low": "float64",
    "differing_share_high": "float64",
    "n_differing_anew": "Int64",
    "fooled_share": "float64",
    "published_differing_share": "float64",
}
"""Columns after the keys, with their types; the mean of counts is no whole number."""


def make(
    target: AdversarialTable, files: Mapping[tuple[str, str, str, str], Path], given: Given, out_stem: Path
) -> None:
    """Write the table: a row for each subject and attack, and the mean of each dataset's rows.

    CSV columns: ``dataset``, ``model``, ``compression``, ``attack`` (all but the first empty in a mean),
    ``attacked_inputs`` (test inputs), ``differing_before`` (of them, those on which the models disagree as they are),
    ``n_fooled`` (those that the original labels correctly, and their samples not), ``n_differing`` (samples on which
    the models disagree) and ``differing_share`` (of all samples) with its 95 % interval (Wilson)
    ``differing_share_low`` and ``differing_share_high``, ``n_differing_anew`` (those on whose input they agree),
    ``fooled_share`` (of the samples that fool the original, those on which the models disagree),
    ``published_differing_share``, ``scale``.

    Args:
        target: its title and caption.
        files: (dataset, model, compression, attack) -> outcome of rule ``verdicts``.
        given: what every kind of table is made from; its published file has the paper's mean, by dataset.
        out_stem: path without suffix.
    """
    numbers = printed.read(given.published, KEYS)
    rows = [dict(zip(KEYS, key, strict=True)) | _row(read(file)) for key, file in files.items()]
    for dataset in dict.fromkeys(key[0] for key in files):
        own = [row for row in rows if row["dataset"] == dataset]
        beside = printed.beside(numbers, (dataset, "", "", ""), given.datasets)
        mean = {name: sum(row[name] for row in own) / len(own) for name in ("n_differing", "differing_share")}
        printed_share = {f"published_{name}": value for name, value in beside.items()}
        rows.append(dict(zip(KEYS, (dataset, "", "", ""), strict=True)) | mean | printed_share)
    data = pd.DataFrame(rows, columns=[*KEYS, *COLUMNS]).astype(COLUMNS).assign(scale=given.scale)
    header = [target.caption] if target.caption else []
    attacked = ", ".join(whole(value) for value in sorted(set(data["attacked_inputs"].dropna())))
    header.append(
        f"Scale: {given.scale}. Run seeds: none, each input is attacked once. Test inputs attacked: {attacked}."
    )
    if given.published:
        header.append("The published number is a mean over networks that the paper does not name, and both attacks.")
    named = {"/".join(key): file for key, file in files.items()}
    named |= given.published_files
    table = Table(target.title, header, data, [_view(data, given.datasets)], files=named)
    write(table, out_stem, given.provenance)


def _row(found: Verdicts) -> dict[str, Any]:
    low, high = wilson(found.differing, found.attacked)
    row = {
        "attacked_inputs": found.attacked,
        "differing_before": found.differing_before,
        "n_fooled": found.fooled,
        "n_differing": found.differing,
        "differing_share": found.differing / found.attacked,
        "differing_share_low": low,
        "differing_share_high": high,
        "n_differing_anew": found.differing_anew,
    }
    return row | ({"fooled_share": found.fooled_differing / found.fooled} if found.fooled else {})


def _view(data: pd.DataFrame, datasets: Mapping[str, Dataset]) -> View:
    shares = zip(data["differing_share"], data["differing_share_low"], data["differing_share_high"], strict=True)
    cells: dict[str, Iterable[str]] = {
        "dataset": [printed.title(dataset, datasets) for dataset in data["dataset"]],
        "model": [name or "mean" for name in data["model"]],
        "compression": data["compression"],
        "attack": data["attack"],
        "inputs": map(whole, data["attacked_inputs"]),
        "differ before": map(whole, data["differing_before"]),
        "fool the original": map(whole, data["n_fooled"]),
        "differ": (plain(value, 0 if value == int(value) else 1) for value in data["n_differing"]),
        "differ % [95 %]": (percent(share) + span(low, high) for share, low, high in shares),
        "differ, their inputs do not": map(whole, data["n_differing_anew"]),
        "of those that fool the original, differ %": map(percent, data["fooled_share"]),
        "published differ %": map(percent, data["published_differing_share"]),
    }
    return View.of("Adversarial samples", cells)
