"""Kind ``bit_accuracies``: accuracy of networks with a given number of bits a weight, as in the thesis's Table 5.1."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from quantrift.config.bit_targets import AccuracyTable
from quantrift.config.datasets import Dataset
from quantrift.metrics import bit_studies
from quantrift.metrics.bit_distributions import distribution
from quantrift.metrics.given import Given
from quantrift.tables import bit_rows, printed
from quantrift.tables.bit_rows import KEYS
from quantrift.tables.text import plain, span, whole
from quantrift.tables.write import Table, View, write

COLUMNS = (
    *KEYS,
    "mean_bits",
    "repetitions",
    "inputs",
    "accuracy",
    "accuracy_sd",
    "accuracy_low",
    "accuracy_high",
    "published_accuracy",
    "published_approximate",
    "accuracy_difference",
    "scale",
)


def make(target: AccuracyTable, given: Given, out_stem: Path) -> None:
    """Write the table: a row for each dataset, network and setting.

    CSV columns: ``dataset``, ``model``, ``study``, ``setting``, ``mean_bits`` (a weight), ``repetitions``, ``inputs``
    (test inputs), ``accuracy`` (mean over repetitions, 0..1), ``accuracy_sd`` (their standard deviation),
    ``accuracy_low`` and ``accuracy_high`` (95 % interval of the mean, Student's t), ``published_accuracy``,
    ``published_approximate`` (1 where the text prints it as approximate), ``accuracy_difference`` (ours - published),
    ``scale``.

    Args:
        target: title and caption.
        given: accuracies of the studies, settings of their compressions, and the file of the thesis's numbers.
        out_stem: path without suffix.
    """
    found = bit_studies.clean(bit_studies.load(given.files))
    rows = bit_studies.summary(found, KEYS)
    numbers = printed.read(given.published, KEYS)
    beside = [printed.beside(numbers, key, given.datasets) for key in rows[list(KEYS)].itertuples(index=False)]
    for name in ("accuracy", "approximate"):
        rows[f"published_{name}"] = pd.Series([row.get(name) for row in beside], rows.index, dtype="float64")
    rows["accuracy_difference"] = rows["accuracy"] - rows["published_accuracy"]
    rows["mean_bits"] = [distribution(given.compressions[setting]).mean for setting in rows["setting"]]
    data = rows.assign(scale=given.scale)[list(COLUMNS)]
    header = bit_rows.header(target.caption, found, given)
    header.append("Accuracy: mean and standard deviation over repetitions; 95 % interval of the mean by Student's t.")
    views = [_wide(own, given.datasets) for _, own in data.groupby("study", sort=False)]
    views.append(_long(data, given.datasets, given.titles))
    table = Table(target.title, header, data, views, files=given.named_files(bit_studies.PARTS))
    write(table, out_stem, given.provenance)


def _wide(data: pd.DataFrame, datasets: Mapping[str, Dataset]) -> View:
    """Settings side by side, as in the thesis."""
    short = bit_rows.short(data)
    rows = []
    for (dataset, model), own in data.groupby(["dataset", "model"], sort=False):
        row = {"dataset": printed.title(str(dataset), datasets), "network": str(model)}
        for cell in own.to_dict("records"):
            row[short[cell["setting"]]] = bit_rows.spread(cell["accuracy"], cell["accuracy_sd"])
        for cell in own.to_dict("records"):
            row[f"published {short[cell['setting']]}"] = bit_rows.approximate(
                cell["published_accuracy"], cell["published_approximate"]
            )
        rows.append(row)
    cells = pd.DataFrame(rows).fillna("")
    ours = [name for name in cells if not str(name).startswith("published")]
    theirs = [name for name in cells if name not in ours and (cells[name] != "").any()]
    return View(f"Accuracy %, {data['study'].iloc[0]}", cells[[*ours, *theirs]])


def _long(data: pd.DataFrame, datasets: Mapping[str, Dataset], titles: Mapping[str, str]) -> View:
    intervals = zip(data["accuracy_low"], data["accuracy_high"], strict=True)
    spreads = zip(data["accuracy"], data["accuracy_sd"], intervals, strict=True)
    theirs = zip(data["published_accuracy"], data["published_approximate"], strict=True)
    cells = bit_rows.labels(data, datasets, titles) | {
        "bits a weight": [plain(value) for value in data["mean_bits"]],
        "repetitions": [whole(value) for value in data["repetitions"]],
        "accuracy % [95 %]": [bit_rows.spread(mean, sd) + span(*ends) for mean, sd, ends in spreads],
        "published accuracy %": [bit_rows.approximate(*one) for one in theirs],
        "difference, points": [plain(100 * value) for value in data["accuracy_difference"]],
    }
    return View.of("Each setting", cells)
