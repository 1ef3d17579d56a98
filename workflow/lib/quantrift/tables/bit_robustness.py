"""Kind ``bit_robustness``: accuracy under attack by strength, and which settings are the most robust."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from quantrift.config.bit_targets import RobustnessTable
from quantrift.config.datasets import Dataset
from quantrift.metrics import bit_studies
from quantrift.metrics.given import Given
from quantrift.tables import bit_claims, bit_rows, printed
from quantrift.tables.text import percent, plain, span, whole
from quantrift.tables.write import Table, View, write

KEYS = (*bit_rows.KEYS, "attack", "strength")
PRINTED = {"accuracy": "accuracy", "approximate": "approximate", "accuracy_least": "least", "accuracy_most": "most"}
"""Column of a number of the thesis -> its name in the file; least and most are of all strengths together."""
COLUMNS = (
    *KEYS,
    "repetitions",
    "inputs",
    "accuracy",
    "accuracy_sd",
    "accuracy_low",
    "accuracy_high",
    "unmoved_share",
    *(f"published_{name}" for name in PRINTED),
    "scale",
)


def make(target: RobustnessTable, given: Given, out_stem: Path) -> None:
    """Write the table: a row for each dataset, network, setting, attack and strength; claims in ``<stem>.claims.csv``.

    CSV columns: ``dataset``, ``model``, ``study``, ``setting``, ``attack``, ``strength`` (0..1), ``repetitions``,
    ``inputs`` (attacked in each), ``accuracy`` (mean over repetitions, 0..1), ``accuracy_sd``, ``accuracy_low`` and
    ``accuracy_high`` (95 % interval of the mean, Student's t), ``unmoved_share`` (of the inputs, those that the attack
    leaves as they are), ``published_accuracy``, ``published_approximate`` (1 where it is), ``published_accuracy_least``
    and ``published_accuracy_most`` (printed for all strengths together), ``scale``.

    Args:
        target: title, caption and claims.
        given: outcomes of attacks on the studies, and the file of the thesis's numbers.
        out_stem: path without suffix.
    """
    found = bit_studies.load(given.files)
    rows = bit_studies.summary(found, KEYS)
    sums = found.groupby(list(KEYS), sort=False)[["unmoved", "inputs"]].sum(min_count=1)
    rows["unmoved_share"] = (sums["unmoved"] / sums["inputs"]).to_numpy(dtype=float)
    numbers = printed.read(given.published, KEYS)
    beside = []
    for *key, strength in rows[list(KEYS)].itertuples(index=False):
        exact = printed.beside(numbers, (*key, f"{strength:g}"), given.datasets)
        of_all = printed.beside(numbers, (*key, ""), given.datasets) if strength > 0 else {}
        beside.append({**of_all, **exact})
    for column, name in PRINTED.items():
        rows[f"published_{column}"] = pd.Series([row.get(name) for row in beside], rows.index, dtype="float64")
    data = rows.assign(scale=given.scale)[list(COLUMNS)]
    claims = bit_claims.claims(target.claims, found)
    header = bit_rows.header(target.caption, found, given)
    header.append(
        "Unmoved: inputs that the attack leaves as they are, because the gradient that it follows is 0 there. What "
        "is robust for this reason alone is not robust against an attack along another gradient."
    )
    views = []
    if len(claims):
        sentences = claims.drop_duplicates("claim")[["claim", "sentence"]].itertuples(index=False)
        header += [bit_claims.EXPLANATION, *(f"Claim {label}: {sentence}" for label, sentence in sentences)]
        views.append(bit_claims.view(claims, given.datasets, given.titles))
    views += [_view(str(study), own, given.datasets, given.titles) for study, own in data.groupby("study", sort=False)]
    files = given.named_files(bit_studies.PARTS)
    table = Table(target.title, header, data, views, details={"claims": claims}, files=files)
    write(table, out_stem, given.provenance)


def _view(study: str, data: pd.DataFrame, datasets: Mapping[str, Dataset], titles: Mapping[str, str]) -> View:
    means = zip(data["accuracy"], data["accuracy_sd"], data["accuracy_low"], data["accuracy_high"], strict=True)
    theirs = data[[f"published_{name}" for name in PRINTED]].itertuples(index=False)
    cells = bit_rows.labels(data, datasets, titles) | {
        "attack": [titles.get(attack, attack) for attack in data["attack"]],
        "strength": [f"{strength:g}" for strength in data["strength"]],
        "inputs": [whole(value) for value in data["inputs"]],
        "accuracy % [95 %]": [bit_rows.spread(mean, sd) + span(low, high) for mean, sd, low, high in means],
        "unmoved %": [percent(value) for value in data["unmoved_share"]],
        "published accuracy %": [_printed(*row) for row in theirs],
    }
    return View.of(f"Accuracy under attack, {study}", cells)


def _printed(accuracy: float, rough: float, least: float, most: float) -> str:
    if least == least:
        return f"{bit_rows.approximate(least, rough)} to {plain(100 * most)}"
    return bit_rows.approximate(accuracy, rough)
