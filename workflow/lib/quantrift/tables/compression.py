"""Kind ``compression``: what each compression did to its network, from the audit of the converted file."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from quantrift.config.datasets import Dataset
from quantrift.config.files import read_json
from quantrift.config.targets import SubjectTable
from quantrift.metrics.given import Given
from quantrift.tables import printed
from quantrift.tables.text import percent, whole
from quantrift.tables.write import Table, View, write

KEYS = ("dataset", "model", "method")
FACTS = {
    "int8_mac_share": "float64",
    "conv3d_float_share": "float64",
    "size_bytes": "Int64",
    "size_bytes_original": "Int64",
    "weight_bits": "Int64",
    "accuracy": "float64",
    "accuracy_original": "float64",
    "flips": "Int64",
}
"""Columns taken as they stand in compression.json, with their types."""
PUBLISHED = ("accuracy", "accuracy_original")


def make(target: SubjectTable, compressed: Mapping[tuple[str, str, str], Path], given: Given, out_stem: Path) -> None:
    """Write the table of compressed networks: one row each, in the order given, then those only the papers have.

    CSV columns: ``dataset``, ``model``, ``method`` (id of the compression), ``int8_mac_share`` (share of
    multiply-accumulates that run in 8 bits), ``conv3d_float_share`` (share that would have stayed float with 3-D
    convolutions), ``size_bytes``, ``size_bytes_original``, ``weight_bits`` (bits that the weights need), ``accuracy``,
    ``accuracy_original`` (test split), ``flips`` (test inputs whose label changed), ``published_accuracy``,
    ``published_accuracy_original``, ``scale``. Shares and accuracies are fractions.

    Args:
        target: its title and caption, and whether rows that only the papers have are wanted.
        compressed: (dataset, model, compression) -> its compression.json.
        given: what every kind of table is made from; its published files of the papers' accuracies, by ``dataset``,
            ``model``, ``compression``.
        out_stem: path without suffix.
    """
    numbers = printed.read(given.published, ("dataset", "model", "compression"))
    rows = []
    for key, path in compressed.items():
        facts = read_json(path)
        row = {name: facts[name] for name in FACTS}
        beside = printed.beside(numbers, key, given.datasets)
        rows.append(dict(zip(KEYS, key, strict=True)) | row | _published(beside) | {"scale": given.scale})
    if target.published_rows:
        everywhere = target.published_rows == "all"
        for name, alone in printed.alone(numbers, compressed, given.datasets, everywhere).items():
            rows.append(dict(zip(KEYS, name, strict=True)) | _published(alone))
    kinds = FACTS | {f"published_{name}": "float64" for name in PUBLISHED}
    data = pd.DataFrame(rows, columns=[*KEYS, *kinds, "scale"]).astype(kinds)
    header = [target.caption] if target.caption else []
    header += [
        f"Scale: {given.scale}. Run seeds: none, each network is compressed once. Inputs: the whole test split.",
        '"Float with Conv3D" is the share of multiply-accumulates that the same network would keep in float if its 3-D '
        "convolutions were converted as they are.",
    ]
    if given.published:
        header.append(
            "An empty cell was not run. Published numbers are the papers', for the networks and data they used."
        )
    files = {f"{'/'.join(key)}/compression.json": path for key, path in compressed.items()}
    files |= given.published_files
    write(Table(target.title, header, data, [_view(data, given.datasets)], files=files), out_stem, given.provenance)


def _published(numbers: Mapping[str, float]) -> dict[str, float]:
    return {f"published_{name}": numbers[name] for name in PUBLISHED if name in numbers}


def _view(data: pd.DataFrame, datasets: Mapping[str, Dataset]) -> View:
    cells: dict[str, Iterable[str]] = {
        "dataset": [printed.title(dataset, datasets) for dataset in data["dataset"]],
        "model": data["model"],
        "method": data["method"],
        "MACs in 8 bits %": map(percent, data["int8_mac_share"]),
        "float with Conv3D %": map(percent, data["conv3d_float_share"]),
        "bytes": map(whole, data["size_bytes"]),
        "bytes of the original": map(whole, data["size_bytes_original"]),
        "bits of the weights": map(whole, data["weight_bits"]),
        "accuracy %": map(percent, data["accuracy"]),
        "accuracy of the original %": map(percent, data["accuracy_original"]),
        "flipped labels": map(whole, data["flips"]),
        "published accuracy %": map(percent, data["published_accuracy"]),
        "published accuracy of the original %": map(percent, data["published_accuracy_original"]),
    }
    return View.of("Compressed networks", cells)
