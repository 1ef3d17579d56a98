"""Size, accuracy and audit of each compressed network."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from quantrift.core.base.files import read_json
from quantrift.core.statistics.column import SCALE, Column, frame, key, published
from quantrift.study.results.tables import published_rows
from quantrift.study.results.tables.answer_words import Cells, Words
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import PublishedSubjects


class Settings(PublishedSubjects):
    """Sizes, accuracies and audits of compressed networks."""

    kind: Literal["compression"]


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """Facts about each compressed network."""
    return {"compressed": results.compressed(settings)}


NETWORK = ("dataset", "model")
KEYS = (key("dataset", "Dataset"), key("model", "Network"), key("method", "Compression"))
ACCURACIES = (
    Column("accuracy", "Accuracy", "fraction", "Correctly classified inputs of the test split."),
    Column(
        "accuracy_original",
        "Accuracy original",
        "fraction",
        "Correctly classified inputs of the test split, by the original.",
    ),
)
FACTS = (
    Column("int8_mac_share", "MACs in 8 bits", "fraction", "Multiply-accumulates that really run in 8 bits."),
    Column(
        "conv3d_float_share",
        "Float with Conv3D",
        "fraction",
        "Multiply-accumulates that the same network would keep in float if its 3-D convolutions were converted as they "
        "are.",
    ),
    Column("size_bytes", "Size", "bytes"),
    Column("size_bytes_original", "Size original", "bytes"),
    Column("weight_bits", "Bits of the weights", "count", "Bits of all weights together."),
    *ACCURACIES,
    Column("flips", "Flipped labels", "count", "Test inputs that the two networks label differently."),
)
"""They stand under the same names in compression.json."""
TAKEN_OVER = Column(
    "taken_over",
    "Taken over",
    "flag",
    "The paper took this pair of models from an earlier paper, so a pair trained here is a different one.",
    as_number=True,
)
PUBLISHED = (*(column.name for column in ACCURACIES), TAKEN_OVER.name)
"""Names of numbers in published files."""
COLUMNS = (*KEYS, *FACTS, *map(published, (*ACCURACIES, TAKEN_OVER)), SCALE)


def make(settings: Settings, given: Given) -> Table:
    """A row for each compressed network, in the order given, then those that only the papers have, if wanted."""
    numbers = published_rows.read(given.published, ("dataset", "model", "compression"))
    compressed = given.one("compressed")
    rows: list[dict[str, Any]] = []
    for name, path in compressed.items():
        facts = read_json(path)
        beside = published_rows.beside(numbers, name, given.datasets)
        rows.append(
            _named(name)
            | {column.name: facts[column.name] for column in FACTS}
            | published_rows.cells(beside, PUBLISHED)
        )
        rows[-1]["scale"] = given.scale
    if settings.published_rows:
        everywhere = settings.published_rows == "all"
        for name, alone in published_rows.alone(numbers, compressed, given.datasets, everywhere).items():
            rows.append(_named(name) | published_rows.cells(alone, PUBLISHED))
    notes = [f"Scale: {given.scale}. Run seeds: none, each network is compressed once. Inputs: the whole test split."]
    if given.published:
        notes.append(
            "An empty cell was not run. Published numbers are the papers', for the networks and data they used."
        )
    return Table(frame(rows, COLUMNS), COLUMNS, notes)


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> list[str]:
    """Of each method the share in 8 bits and both accuracies; methods without any such share are named together."""
    ran = [row for row in rows if row["accuracy"] and row["int8_mac_share"]]
    methods = dict.fromkeys(row["method"] for row in ran if float(row["int8_mac_share"]))
    found = []
    for method in methods:
        own = [row for row in ran if row["method"] == method]
        share = words.cells(own, "int8_mac_share")
        where = words.where(own, NETWORK)
        found.append(
            f"{words.name(method)}, {where}: {share} of the multiply-accumulates in 8 bits, {_kept(words, own)}."
        )
    others = [row for row in ran if row["method"] not in methods]
    if others:
        names = ", ".join(words.name(method) for method in dict.fromkeys(row["method"] for row in others))
        found.append(f"Nothing in 8 bits: {names}; {words.where(others, NETWORK)}: {_kept(words, others)}.")
    return found


def _kept(words: Words, rows: Sequence[Cells]) -> str:
    return f"accuracy {words.cells(rows, 'accuracy')}, of the original {words.cells(rows, 'accuracy_original')}"


def _named(name: tuple[str, ...]) -> dict[str, Any]:
    return dict(zip((column.name for column in KEYS), name, strict=True))
