"""Accuracy of networks with a given number of bits a weight, as in the thesis's Table 5.1."""

from collections.abc import Mapping
from typing import Literal

from quantrift.metrics import bit_studies
from quantrift.metrics.column import SCALE, Column, frame
from quantrift.tables import bit_rows, printed
from quantrift.tables.bit_rows import KEYS
from quantrift.tables.table import Table
from quantrift.targets import studies
from quantrift.targets.given import Given
from quantrift.targets.results import Files, Results
from quantrift.targets.studies import BitTarget
from quantrift.targets.studies import states as states


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
    found = bit_studies.clean(bit_studies.load(given.files["accuracies"]))
    numbers = printed.read(given.published, KEYS)
    bits = studies.distributions(given.stated)
    rows = bit_studies.summary(found, KEYS).to_dict("records")
    for row in rows:
        beside = printed.beside(numbers, tuple(row[name] for name in KEYS), given.datasets)
        row |= {f"published_{name}": beside.get(name) for name in ("accuracy", "approximate")}
        if "accuracy" in beside:
            row["accuracy_difference"] = row["accuracy"] - beside["accuracy"]
        row |= {"mean_bits": bits[row["setting"]].mean, "scale": given.scale}
    notes = bit_rows.notes(found, given)
    notes.append("Accuracy: mean and standard deviation over repetitions; 95 % interval of the mean by Student's t.")
    return Table(frame(rows, COLUMNS), COLUMNS, notes)
