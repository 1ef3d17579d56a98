"""Kind ``compression``: what each compression did to its network, from the audit of the converted file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from quantrift.config.datasets import Dataset
from quantrift.config.files import read_json
from quantrift.config.targets import SubjectTable
from quantrift.tables.text import percent, whole
from quantrift.tables.write import Table, View, write

FACTS = (
    "method",
    "int8_mac_share",
    "conv3d_float_share",
    "size_bytes",
    "size_bytes_original",
    "accuracy",
    "accuracy_original",
    "flips",
)
"""Columns taken as they stand in compression.json."""


def make(
    target: SubjectTable,
    compressed: Mapping[tuple[str, str, str], Path],
    datasets: Mapping[str, Dataset],
    out_stem: Path,
    *,
    scale: str,
    provenance: Mapping[str, Any],
) -> None:
    """Write the table of compressed networks: one row each, in the order given.

    CSV columns: ``dataset``, ``model``, ``method``, ``int8_mac_share`` (share of multiply-accumulates that run in 8
    bits), ``conv3d_float_share`` (share that would have stayed float with 3-D convolutions), ``size_bytes``,
    ``size_bytes_original``, ``accuracy``, ``accuracy_original`` (test split), ``flips`` (test inputs whose label
    changed), ``scale``. Shares and accuracies are fractions.

    Args:
        target: its title and caption.
        compressed: (dataset, model, compression) -> its compression.json.
        datasets: settings of the datasets.
        out_stem: path without suffix.
        scale: id of the configuration.
        provenance: values for ``<stem>.provenance.json``.
    """
    rows = []
    for (dataset, model, _), path in compressed.items():
        facts = read_json(path)
        rows.append({"dataset": dataset, "model": model} | {name: facts[name] for name in FACTS} | {"scale": scale})
    data = pd.DataFrame(rows).astype({"conv3d_float_share": "float64"})
    cells = pd.DataFrame(
        {
            "dataset": [datasets[row["dataset"]].title for row in rows],
            "model": data["model"],
            "method": data["method"],
            "MACs in 8 bits %": [percent(value) for value in data["int8_mac_share"]],
            "float with Conv3D %": [percent(value) for value in data["conv3d_float_share"]],
            "bytes": [whole(value) for value in data["size_bytes"]],
            "bytes of the original": [whole(value) for value in data["size_bytes_original"]],
            "accuracy %": [percent(value) for value in data["accuracy"]],
            "accuracy of the original %": [percent(value) for value in data["accuracy_original"]],
            "flipped labels": [whole(value) for value in data["flips"]],
        }
    )
    header = [target.caption] if target.caption else []
    header += [
        f"Scale: {scale}. Run seeds: none, each network is compressed once. Inputs: the whole test split.",
        '"Float with Conv3D" is the share of multiply-accumulates that the same network would keep in float if its 3-D '
        "convolutions were converted as they are.",
    ]
    files = {f"{'/'.join(key)}/compression.json": path for key, path in compressed.items()}
    write(Table(target.title, header, data, [View("Compressed networks", cells)], files=files), out_stem, provenance)
