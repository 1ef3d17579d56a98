"""Kind ``repair``: disagreements that are gone once a compressed network was trained on others, and what it costs."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from quantrift.config.datasets import Dataset
from quantrift.config.repairs import RepairTable
from quantrift.metrics.given import Given
from quantrift.metrics.intervals import Share
from quantrift.metrics.repair import Repair, read
from quantrift.metrics.searched import Searched
from quantrift.tables import printed
from quantrift.tables.text import estimate, percent, whole
from quantrift.tables.write import Table, View, write

KEYS = ("dataset", "model", "compression", "tool")
COLUMNS = {
    "learned_inputs": "Int64",
    "learned_dii": "Int64",
    "learned_share": "float64",
    "judged_inputs": "Int64",
    "judged_dii": "Int64",
    "n_repaired": "Int64",
    "repaired_share": "float64",
    "repaired_share_low": "float64",
    "repaired_share_high": "float64",
    "repaired_share_rests_on": "object",
    "control_share": "float64",
    "control_share_low": "float64",
    "control_share_high": "float64",
    "control_share_rests_on": "object",
    "test_inputs": "Int64",
    "accuracy": "float64",
    "accuracy_repaired": "float64",
    "accuracy_control": "float64",
    "flips": "Int64",
    "flips_repaired": "Int64",
    "flips_control": "Int64",
}
"""Columns after the keys, with their types."""


def make(target: RepairTable, files: Mapping[Searched, Path], given: Given, out_stem: Path) -> None:
    """Write the table: a row for each subject and tool.

    CSV columns: ``dataset``, ``model``, ``compression``, ``tool``, ``learned_inputs`` and ``learned_dii`` (seed inputs
    and difference-inducing inputs of the half that is learned), ``learned_share`` (of these, those on which the
    networks then agree), ``judged_inputs`` and ``judged_dii`` (of the other half), ``n_repaired`` and
    ``repaired_share`` (of these, those on which the networks agree after the repair), ``control_share`` (the same after
    as much training on the seed inputs themselves), shares with 95 % intervals in ``*_low`` and ``*_high`` (bootstrap
    over seed inputs) and in ``*_rests_on`` in words on how few of these a share rests, if fewer than three and so
    without an interval, ``test_inputs`` (those that are no seed input of the half that is learned), ``accuracy`` and
    ``flips`` over these before, and with ``_repaired`` and ``_control`` after, ``scale``.

    Args:
        target: its title and caption.
        files: (dataset, model, compression, tool) -> outcome of rule ``repair_model``.
        given: what every kind of table is made from.
        out_stem: path without suffix.
    """
    rows = [
        dict(zip(KEYS, key, strict=True)) | _row(read(file)) | {"scale": given.scale} for key, file in files.items()
    ]
    data = pd.DataFrame(rows, columns=[*KEYS, *COLUMNS, "scale"]).astype(COLUMNS)
    header = [target.caption] if target.caption else []
    header.append(
        f"Scale: {given.scale}. Each network is repaired once, by training on half of the seed inputs that have a "
        f"difference-inducing input; {whole(int(data['judged_dii'].sum()))} of the other half are judged."
    )
    named = {"/".join(key): file for key, file in files.items()}
    views = _views(data, given.datasets, given.titles)
    write(Table(target.title, header, data, views, files=named), out_stem, given.provenance)


def _row(one: Repair) -> dict[str, Any]:
    facts = one.facts
    row: dict[str, Any] = {name: facts[name] for name in ("learned_inputs", "learned_dii", "test_inputs")}
    row |= {"judged_inputs": one.inputs, "judged_dii": one.dii, "n_repaired": one.gone("repaired")}
    row |= _with_interval("repaired", one.share("repaired")) | _with_interval("control", one.share("control"))
    if facts["learned_dii"]:
        row["learned_share"] = facts["repaired"]["learned"] / facts["learned_dii"]
    for name in ("accuracy", "flips"):
        row[name] = facts["before"][name]
        row |= {f"{name}_{side}": facts[side][name] for side in ("repaired", "control")}
    return row


def _with_interval(side: str, found: Share) -> dict[str, Any]:
    name = f"{side}_share"
    ends = {f"{name}_low": found.low, f"{name}_high": found.high}
    return {name: found.share} | ends | {f"{name}_rests_on": found.rests_on}


def _views(data: pd.DataFrame, datasets: Mapping[str, Dataset], titles: Mapping[str, str]) -> list[View]:
    keys: dict[str, Iterable[str]] = {
        "dataset": [printed.title(dataset, datasets) for dataset in data["dataset"]],
        "model": data["model"],
        "compression": data["compression"],
        "tool": [titles.get(name, name) for name in data["tool"]],
    }
    shares: dict[str, Iterable[str]] = {
        "DII learned": map(whole, data["learned_dii"]),
        "of them gone %": map(percent, data["learned_share"]),
        "DII judged": map(whole, data["judged_dii"]),
        "repaired % [95 %]": _shares(data, "repaired_share"),
        "gone in the control % [95 %]": _shares(data, "control_share"),
    }
    costs: dict[str, Iterable[str]] = {"test inputs": map(whole, data["test_inputs"])}
    for name, heading in (("", "before"), ("_repaired", "repaired"), ("_control", "control")):
        costs[f"accuracy {heading} %"] = map(percent, data[f"accuracy{name}"])
        costs[f"flips {heading}"] = map(whole, data[f"flips{name}"])
    return [
        View.of("Disagreements of the other half that are gone", keys | shares),
        View.of("On the test inputs as they are", keys | costs),
    ]


def _shares(data: pd.DataFrame, name: str) -> list[str]:
    return list(map(estimate, *(data[f"{name}{end}"] for end in ("", "_low", "_high", "_rests_on"))))
