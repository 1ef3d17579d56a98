"""Accuracy of networks with a given number of bits a weight, as in the thesis's Table 5.1."""

from collections.abc import Mapping, Sequence
from typing import Literal

from quantrift.core.statistics import bit_study_accuracy
from quantrift.core.statistics.column import SCALE, Column, frame
from quantrift.study.results.tables import bit_rows, published_rows
from quantrift.study.results.tables.answer_words import Cells, Words, by_subject, extremes
from quantrift.study.results.tables.bit_rows import KEYS
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.targets import over_bit_studies
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.over_bit_studies import states as states
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import BitTarget


class Settings(BitTarget):
    """Accuracy of each setting over repetitions."""

    kind: Literal["bit_accuracies"]


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """Accuracies of the networks of each study."""
    return {"accuracies": results.bits(settings, "accuracies.parquet")}


COLUMNS = (
    *bit_rows.NAMED,
    bit_rows.MEAN_BITS,
    *bit_rows.ACCURACIES,
    *bit_rows.PUBLISHED,
    Column("accuracy_difference", "Difference", "points", "Of mean accuracies, ours less the published."),
    SCALE,
)


def make(settings: Settings, given: Given) -> Table:
    """A row for each dataset, network and setting."""
    found = bit_study_accuracy.clean(bit_study_accuracy.load(given.files["accuracies"]))
    numbers = published_rows.read(given.published, KEYS)
    bits = over_bit_studies.distributions(given.stated)
    rows = bit_study_accuracy.summary(found, KEYS).to_dict("records")
    for row in rows:
        beside = published_rows.beside(numbers, tuple(row[name] for name in KEYS), given.datasets)
        row |= {f"published_{name}": beside.get(name) for name in ("accuracy", "approximate")}
        if "accuracy" in beside:
            row["accuracy_difference"] = row["accuracy"] - beside["accuracy"]
        row |= {"mean_bits": bits[row["setting"]].mean, "scale": given.scale}
    notes = bit_rows.notes(found, given)
    notes.append("Accuracy: mean and standard deviation over repetitions; 95 % interval of the mean by Student's t.")
    return Table(frame(rows, COLUMNS), COLUMNS, notes)


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> list[str]:
    """The highest and the lowest accuracy of each network."""
    return [
        f"{words.where(own)}: accuracy {extremes(words, own, 'accuracy', 'setting')}."
        for own in by_subject([row for row in rows if row["accuracy"]])
    ]
