"""Inputs of a gallery for the page: distortions in words, probabilities of both models, command to replay."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from quantrift.core.page.arrangement import records

LEAST = 0.01
"""Smallest probability, of either model, with which a class is listed."""
LISTED = 6
"""Most classes that are listed."""


@dataclass(frozen=True)
class Probability:
    """Probabilities of a class in percent, and as lengths of bars, 0 to 1."""

    name: str
    original: str
    compressed: str
    bars: tuple[str, str]


@dataclass(frozen=True)
class Card:
    """One input that the gallery shows."""

    number: str
    """Its place in the gallery, from the top, from 1."""
    group: str
    input: str
    true_class: str
    label_original: str
    label_compressed: str
    distortions: str
    command: str
    classes: list[Probability]
    """The likeliest first."""


def cards(path: Path) -> Iterator[Card]:
    """The inputs in the table beside a gallery, in its order (``quantrift.study.results.figures.gallery_details``).

    Raises:
        QuantriftError: if it cannot be read.
    """
    for number, group in groupby(records(path), lambda row: row["shown"]):
        rows = list(group)
        values = [(row["class"], float(row["p_original"]), float(row["p_compressed"])) for row in rows]
        likely = sorted((one for one in values if max(one[1:]) >= LEAST), key=lambda one: -max(one[1:]))[:LISTED]
        first = rows[0]
        yield Card(
            number,
            first["group"],
            first["input"],
            first["true_class"],
            first["label_original"],
            first["label_compressed"],
            first["distortions"],
            first["command"],
            [_probability(*one) for one in likely],
        )


def _probability(name: str, original: float, compressed: float) -> Probability:
    first, second = (f"{100 * value:.1f}" for value in (original, compressed))
    return Probability(name, first, second, (f"{original:.4f}", f"{compressed:.4f}"))
