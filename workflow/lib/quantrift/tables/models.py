"""Kind ``models``: accuracy, size and split of each trained network."""

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

PARTS = ("train", "validation", "test")
SIZES = tuple(f"{part}_inputs" for part in PARTS)
PUBLISHED_SIZES = tuple(f"published_{part}" for part in PARTS)
WHOLE = ("parameters", "macs", *SIZES, *PUBLISHED_SIZES)
RATES = ("accuracy", "accuracy_blocks", "published_accuracy")
COLUMNS = ("dataset", "model", "parameters", "macs", *RATES, *SIZES, *PUBLISHED_SIZES, "scale")


def make(
    target: SubjectTable,
    models: Mapping[tuple[str, str], Path],
    blocks: Mapping[tuple[str, str], Path],
    given: Given,
    out_stem: Path,
) -> None:
    """Write the table of networks: one row each, in the order given, then those that only the papers have if wanted.

    CSV columns: ``dataset``, ``model``, ``parameters``, ``macs`` (of the network as published, per input),
    ``accuracy`` (test split, fraction), ``accuracy_blocks`` (under a split by spatial blocks; empty where the network
    was not trained under one), ``published_accuracy`` (fraction), ``train_inputs``, ``validation_inputs``,
    ``test_inputs``, ``published_train``, ``published_validation``, ``published_test``, ``scale``.

    Args:
        target: its title and caption, and whether rows that only the papers have follow.
        models: (dataset, model) -> its model.json, with model.timing.json beside it.
        blocks: (dataset, model) -> its blocks.json, with blocks.timing.json beside it, where there is one.
        given: what every kind of table is made from; its published files of the papers' numbers, by ``dataset``,
            ``model``: ``accuracy`` and inputs of each part.
        out_stem: path without suffix.
    """
    numbers = printed.read(given.published, ("dataset", "model"))
    rows, times = [], []
    for (dataset, model), path in models.items():
        facts = read_json(path)
        row = {name: facts[name] for name in ("parameters", "macs", "accuracy", *SIZES)}
        seconds = read_json(path.with_name("model.timing.json"))
        if file := blocks.get((dataset, model)):
            row["accuracy_blocks"] = read_json(file)["accuracy"]
            seconds |= read_json(file.with_name("blocks.timing.json"))
        beside = printed.beside(numbers, (dataset, model), given.datasets)
        rows.append({"dataset": dataset, "model": model, **row, **_published(beside), "scale": given.scale})
        times.append({"dataset": dataset, "model": model} | seconds)
    if target.published_rows:
        everywhere = target.published_rows == "all"
        for (dataset, model), alone in printed.alone(numbers, models, given.datasets, everywhere).items():
            rows.append({"dataset": dataset, "model": model, **_published(alone)})
    kinds = dict.fromkeys(WHOLE, "Int64") | dict.fromkeys(RATES, "float64")
    data = pd.DataFrame(rows, columns=list(COLUMNS)).astype(kinds)
    files = {f"{dataset}/{model}/model.json": path for (dataset, model), path in models.items()}
    files |= {f"{dataset}/{model}/blocks/blocks.json": path for (dataset, model), path in blocks.items()}
    files |= given.published_files
    header = _header(target, blocks, given.datasets, given.scale)
    write(
        Table(target.title, header, data, [_view(data, given.datasets)], pd.DataFrame(times), files=files),
        out_stem,
        given.provenance,
    )


def _published(numbers: Mapping[str, float]) -> dict[str, float]:
    return {f"published_{name}": numbers[name] for name in ("accuracy", *PARTS) if name in numbers}


def _header(
    target: SubjectTable, blocks: Mapping[tuple[str, str], Path], datasets: Mapping[str, Dataset], scale: str
) -> list[str]:
    lines = [target.caption] if target.caption else []
    lines += [
        f"Scale: {scale}. Run seeds: none, each network is trained once. Inputs: the whole test split.",
        "An empty cell was not run. Published numbers are the papers', for the networks and data they used.",
    ]
    sizes = []
    for (dataset, model), file in blocks.items():
        under = read_json(file)
        parts = " / ".join(whole(under[f"{part}_inputs"]) for part in ("train", "test", "dropped"))
        sizes.append(f"{datasets[dataset].title}, {model}: {parts}")
    if sizes:
        lines.append(f"Pixels that train / test / are dropped in the split by blocks: {'; '.join(sizes)}.")
    return lines


def _view(data: pd.DataFrame, datasets: Mapping[str, Dataset]) -> View:
    cells: dict[str, Iterable[str]] = {
        "dataset": [printed.title(dataset, datasets) for dataset in data["dataset"]],
        "model": data["model"],
        "parameters": map(whole, data["parameters"]),
        "MACs an input": map(whole, data["macs"]),
        "accuracy %": map(percent, data["accuracy"]),
        "accuracy, split by blocks %": map(percent, data["accuracy_blocks"]),
        "published accuracy %": map(percent, data["published_accuracy"]),
    }
    for name in (*SIZES, *PUBLISHED_SIZES):
        cells[name.replace("_", " ")] = map(whole, data[name])
    return View.of("Networks", cells)
