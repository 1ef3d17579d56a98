"""Accuracy of networks with a given number of bits a weight, as in the thesis's Table 5.1."""

from collections.abc import Iterable, Sequence

from quantrift.core.statistics import bit_study_accuracy
from quantrift.core.statistics.column import SCALE, Column, frame
from quantrift.study.results.tables import bit_rows, published_numbers
from quantrift.study.results.tables.answer_words import Cells, Words, by_subject, extremes
from quantrift.study.results.tables.bit_rows import KEYS
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.targets import over_bit_studies
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.over_bit_studies import states as states
from quantrift.study.results.targets.target import BitTarget


class Settings(BitTarget):
    """Accuracy of each setting over repetitions."""


needs = over_bit_studies.accuracies


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
    numbers = published_numbers.read(given.published, KEYS)
    bits = over_bit_studies.distributions(given.stated)
    rows = bit_study_accuracy.summary(found, KEYS).to_dict("records")
    for row in rows:
        beside = published_numbers.beside(numbers, tuple(row[name] for name in KEYS), given.published_as)
        row |= {f"published_{name}": beside.get(name) for name in ("accuracy", "approximate")} | {
            "mean_bits": bits[row["setting"]].mean,
            "scale": given.scale,
        }
    data = frame(rows, COLUMNS)
    data["accuracy_difference"] = data["accuracy"] - data["published_accuracy"]
    return Table(
        data,
        COLUMNS,
        [
            *bit_rows.notes(found, given),
            "Accuracy: mean and standard deviation over repetitions; 95 % interval of the mean by Student's t.",
        ],
    )


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> Iterable[str]:
    """The highest and the lowest accuracy of each network."""
    return [
        f"{words.where(own)}: accuracy {extremes(words, own, 'accuracy', 'setting')}."
        for own in by_subject([row for row in rows if row["accuracy"]])
    ]
