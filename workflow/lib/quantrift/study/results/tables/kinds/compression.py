"""Size, accuracy and audit of each compressed network."""

from collections.abc import Iterable, Sequence

from quantrift.core.base.files import read_json
from quantrift.core.statistics.column import SCALE, Column, frame, key, published
from quantrift.study.results.tables import published_numbers
from quantrift.study.results.tables.answer_words import Cells, Words, by
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Results, asks
from quantrift.study.results.targets.target import PublishedSubjects


class Settings(PublishedSubjects):
    """Sizes, accuracies and audits of compressed networks."""


needs = asks(compressed=Results.compressed)


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
    facts = {name: read_json(path) for name, path in given.one("compressed").items()}
    rows = published_numbers.beside_and_alone(
        {
            name: {column.name: own[column.name] for column in FACTS} | {"scale": given.scale}
            for name, own in facts.items()
        },
        published_numbers.read(given.published, ("dataset", "model", "compression")),
        [column.name for column in KEYS],
        PUBLISHED,
        given.published_as,
        settings.published_rows,
    )
    return Table(
        frame(rows, COLUMNS),
        COLUMNS,
        [
            f"Scale: {given.scale}. Run seeds: none, each network is compressed once. Inputs: the whole test split.",
            "An empty cell was not run. Published numbers are the papers', for the networks and data they used."
            if given.published
            else "",
        ],
    )


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> Iterable[str]:
    """Of each method the share in 8 bits and both accuracies; methods without any such share are named together."""
    ran = by([row for row in rows if row["accuracy"] and row["int8_mac_share"]], "method")
    some = {method: own for method, own in ran.items() if any(float(row["int8_mac_share"]) for row in own)}
    found = [
        f"{words.name(method)}, {words.where(own, NETWORK)}: {words.cells(own, 'int8_mac_share')} of the "
        f"multiply-accumulates in 8 bits, {_kept(words, own)}."
        for method, own in some.items()
    ]
    if others := [row for method, own in ran.items() if method not in some for row in own]:
        names = ", ".join(map(words.name, by(others, "method")))
        found.append(f"Nothing in 8 bits: {names}; {words.where(others, NETWORK)}: {_kept(words, others)}.")
    return found


def _kept(words: Words, rows: Sequence[Cells]) -> str:
    return f"accuracy {words.cells(rows, 'accuracy')}, of the original {words.cells(rows, 'accuracy_original')}"
