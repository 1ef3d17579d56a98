"""Accuracy, size and split of each trained network."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from quantrift.core.base.files import read_json
from quantrift.core.page.number_format import whole
from quantrift.core.statistics.column import SCALE, Column, frame, key, published
from quantrift.study.results.tables import published_rows
from quantrift.study.results.tables.answer_words import Cells, Words, by_subject, listed, single
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import PublishedSubjects


class Settings(PublishedSubjects):
    """Accuracies and sizes of networks."""

    kind: Literal["models"]


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """Facts on each network, also on its training under a split by spatial blocks where there is one."""
    return {
        "networks": results.networks(settings, "model.json", "model.timing.json"),
        "blocks": results.block_splits(settings),
    }


ACCURACY = Column("accuracy", "Accuracy", "fraction", "Correctly classified inputs of the test split.")
SIZES = (
    Column("train_inputs", "Training inputs", "count", "Inputs that the network is trained on."),
    Column(
        "validation_inputs",
        "Validation",
        "count",
        "Those on which training is checked; the network is not trained on them.",
    ),
    Column(
        "test_inputs",
        "Test inputs",
        "count",
        "Those that play no part in training; accuracies are measured on them.",
    ),
)
PARTS = ("train", "validation", "test")
DETAILS = ("timing",)
COLUMNS = (
    key("dataset", "Dataset"),
    key("model", "Network"),
    Column("parameters", "Parameters", "count"),
    Column("macs", "MACs", "count", "Multiply-accumulates of the network as published, for one input."),
    ACCURACY,
    Column("accuracy_blocks", "Accuracy, spatial blocks", "fraction", "Under a spatially disjoint split."),
    published(ACCURACY),
    *SIZES,
    *(published(column, f"published_{part}") for part, column in zip(PARTS, SIZES, strict=True)),
    SCALE,
)
PUBLISHED = ("accuracy", *PARTS)
"""Names of numbers in published files."""
FACTS = ("parameters", "macs", "accuracy", *(column.name for column in SIZES))


def make(settings: Settings, given: Given) -> Table:
    """A row for each network, in the order given, then those that only the papers have, if they are wanted."""
    numbers = published_rows.read(given.published, ("dataset", "model"))
    blocks = given.one("blocks")
    rows: list[dict[str, Any]] = []
    times = []
    for (dataset, model), path in given.one("networks").items():
        facts = read_json(path)
        row = {name: facts[name] for name in FACTS}
        seconds = read_json(path.with_name("model.timing.json"))
        if file := blocks.get((dataset, model)):
            row["accuracy_blocks"] = read_json(file)["accuracy"]
            seconds |= read_json(file.with_name("blocks.timing.json"))
        beside = published_rows.beside(numbers, (dataset, model), given.datasets)
        rows.append(
            {"dataset": dataset, "model": model, **row, **published_rows.cells(beside, PUBLISHED), "scale": given.scale}
        )
        times.append({"dataset": dataset, "model": model} | seconds)
    if settings.published_rows:
        everywhere = settings.published_rows == "all"
        shown = [(row["dataset"], row["model"]) for row in rows]
        for (dataset, model), alone in published_rows.alone(numbers, shown, given.datasets, everywhere).items():
            rows.append({"dataset": dataset, "model": model, **published_rows.cells(alone, PUBLISHED)})
    notes = [
        f"Scale: {given.scale}. Run seeds: none, each network is trained once. Inputs: the whole test split.",
        "An empty cell was not run. Published numbers are the papers', for the networks and data they used.",
        *_split(blocks, given),
    ]
    return Table(frame(rows, COLUMNS), COLUMNS, notes, timing=pd.DataFrame(times))


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> list[str]:
    """Accuracy and size of each network, dataset by dataset."""
    found = []
    for own in by_subject(single(rows, "accuracy"), ("dataset",)):
        networks = [
            f"{words.name(model)} {words.cells(of_model, 'accuracy')} with "
            f"{words.cells(of_model, 'parameters')} parameters"
            for model in dict.fromkeys(row["model"] for row in own)
            for of_model in [[row for row in own if row["model"] == model]]
        ]
        found.append(f"{words.where(own, ('dataset',))}: accuracy of {listed(networks)}.")
    return found


def _split(blocks: Mapping[tuple[str, ...], Path], given: Given) -> list[str]:
    """Note on the split of scenes by spatial blocks."""
    sizes = []
    for (dataset, model), file in blocks.items():
        under = read_json(file)
        parts = " / ".join(whole(under[f"{part}_inputs"]) for part in ("train", "test", "dropped"))
        sizes.append(f"{given.datasets[dataset].title}, {model}: {parts}")
    return [f"Pixels that train / test / are dropped in the split by blocks: {'; '.join(sizes)}."] if sizes else []
