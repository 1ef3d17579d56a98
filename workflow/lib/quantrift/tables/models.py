"""Kind ``models``: accuracy and size of each trained network."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from quantrift.config.datasets import Dataset
from quantrift.config.files import read_json
from quantrift.config.targets import SubjectTable
from quantrift.metrics.published import published_dataset, read_published
from quantrift.tables.text import percent, whole
from quantrift.tables.write import Table, View, write


def make(
    target: SubjectTable,
    models: Mapping[tuple[str, str], Path],
    blocks: Mapping[tuple[str, str], Path],
    datasets: Mapping[str, Dataset],
    published: Sequence[Path],
    out_stem: Path,
    *,
    scale: str,
    provenance: Mapping[str, Any],
) -> None:
    """Write the table of networks: one row each, in the order given.

    CSV columns: ``dataset``, ``model``, ``parameters``, ``macs`` (of the network as published, per input),
    ``accuracy`` (test split, fraction), ``accuracy_blocks`` (under a split by spatial blocks; empty where the network
    was not trained under one), ``published_accuracy`` (fraction), ``scale``.

    Args:
        target: its title and caption.
        models: (dataset, model) -> its model.json, with model.timing.json beside it.
        blocks: (dataset, model) -> its blocks.json, with blocks.timing.json beside it, where there is one.
        datasets: settings of the datasets.
        published: files of the papers' accuracies, by ``dataset``, ``model``.
        out_stem: path without suffix.
        scale: id of the configuration.
        provenance: values for ``<stem>.provenance.json``.
    """
    printed: dict[tuple[str, ...], dict[str, float]] = {}
    for path in published:
        printed |= read_published(path, ("dataset", "model"))
    rows, times, sizes = [], [], []
    for (dataset, model), path in models.items():
        facts = read_json(path)
        accuracy_blocks = None
        seconds = read_json(path.with_name("model.timing.json"))
        if (dataset, model) in blocks:
            file = blocks[dataset, model]
            under = read_json(file)
            accuracy_blocks = under["accuracy"]
            seconds |= read_json(file.with_name("blocks.timing.json"))
            parts = " / ".join(whole(under[f"{part}_inputs"]) for part in ("train", "test", "dropped"))
            sizes.append(f"{datasets[dataset].title}, {model}: {parts}")
        numbers = printed.get((published_dataset(dataset, datasets), model), {})
        rows.append(
            {
                "dataset": dataset,
                "model": model,
                "parameters": facts["parameters"],
                "macs": facts["macs"],
                "accuracy": facts["accuracy"],
                "accuracy_blocks": accuracy_blocks,
                "published_accuracy": numbers.get("accuracy"),
                "scale": scale,
            }
        )
        times.append({"dataset": dataset, "model": model} | seconds)
    data = pd.DataFrame(rows).astype(
        {"parameters": "Int64", "macs": "Int64", "accuracy_blocks": "float64", "published_accuracy": "float64"}
    )
    cells = pd.DataFrame(
        {
            "dataset": [datasets[row["dataset"]].title for row in rows],
            "model": data["model"],
            "parameters": [whole(value) for value in data["parameters"]],
            "MACs an input": [whole(value) for value in data["macs"]],
            "accuracy %": [percent(value) for value in data["accuracy"]],
            "accuracy, split by blocks %": [percent(value) for value in data["accuracy_blocks"]],
            "published accuracy %": [percent(value) for value in data["published_accuracy"]],
        }
    )
    header = [target.caption] if target.caption else []
    header += [
        f"Scale: {scale}. Run seeds: none, each network is trained once. Inputs: the whole test split.",
        "An empty cell was not run. Published numbers are the papers', for the networks and data they used.",
    ]
    if sizes:
        header.append(f"Pixels that train / test / are dropped in the split by blocks: {'; '.join(sizes)}.")
    files = {f"{dataset}/{model}/model.json": path for (dataset, model), path in models.items()}
    files |= {f"{dataset}/{model}/blocks/blocks.json": path for (dataset, model), path in blocks.items()}
    files |= {f"published/{path.name}": path for path in published}
    table = Table(target.title, header, data, [View("Networks", cells)], pd.DataFrame(times), files)
    write(table, out_stem, provenance)
