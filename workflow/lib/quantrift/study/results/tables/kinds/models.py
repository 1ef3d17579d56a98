"""Accuracy, size and split of each trained network."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from quantrift.core.base.files import read_json
from quantrift.core.page.number_format import whole
from quantrift.core.statistics.column import SCALE, Column, frame, key, published
from quantrift.study.results.tables import published_numbers
from quantrift.study.results.tables.answer_words import Cells, Words, by, by_subject, listed, single
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import PublishedSubjects


class Settings(PublishedSubjects):
    """Accuracies and sizes of networks."""


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
NETWORK = ("dataset", "model")
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


def make(settings: Settings, given: Given) -> Table:
    """A row for each network, in the order given, then those that only the papers have, if they are wanted."""
    blocks = given.one("blocks")
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    times = []
    for name, path in given.one("networks").items():
        facts = read_json(path)
        rows[name] = {
            **{fact: facts[fact] for fact in ("parameters", "macs", "accuracy", *(column.name for column in SIZES))},
            "scale": given.scale,
        }
        seconds = read_json(path.with_name("model.timing.json"))
        if file := blocks.get(name):
            rows[name]["accuracy_blocks"] = read_json(file)["accuracy"]
            seconds |= read_json(file.with_name("blocks.timing.json"))
        times.append(dict(zip(NETWORK, name, strict=True)) | seconds)
    numbers = published_numbers.read(given.published, NETWORK)
    return Table(
        frame(
            published_numbers.beside_and_alone(
                rows, numbers, NETWORK, PUBLISHED, given.published_as, settings.published_rows
            ),
            COLUMNS,
        ),
        COLUMNS,
        [
            f"Scale: {given.scale}. Run seeds: none, each network is trained once. Inputs: the whole test split.",
            "An empty cell was not run. Published numbers are the papers', for the networks and data they used.",
            *_split(blocks, given),
        ],
        timing=pd.DataFrame(times),
    )


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> Iterable[str]:
    """Accuracy and size of each network, dataset by dataset."""
    for own in by_subject(single(rows, "accuracy"), ("dataset",)):
        networks = [
            f"{words.name(model)} {words.cells(of_model, 'accuracy')} with "
            f"{words.cells(of_model, 'parameters')} parameters"
            for model, of_model in by(own, "model").items()
        ]
        yield f"{words.where(own, ('dataset',))}: accuracy of {listed(networks)}."


def _split(blocks: Mapping[tuple[str, ...], Path], given: Given) -> list[str]:
    """Note on the split of scenes by spatial blocks."""
    sizes = [
        f"{given.datasets[dataset].title}, {model}: "
        + " / ".join(whole(under[f"{part}_inputs"]) for part in ("train", "test", "dropped"))
        for (dataset, model), file in blocks.items()
        for under in [read_json(file)]
    ]
    return [f"Pixels that train / test / are dropped in the split by blocks: {'; '.join(sizes)}."] if sizes else []
