"""Whether some settings of a study are more robust than all others of it, at each strength, as the thesis says."""

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

import pandas as pd

from quantrift.config.bit_targets import Claim
from quantrift.config.datasets import Dataset
from quantrift.metrics.bit_tests import ALPHA, larger_p
from quantrift.metrics.statistics import holm
from quantrift.tables import printed
from quantrift.tables.text import p_value, percent
from quantrift.tables.write import View

EXPLANATION = (
    "A claim is tested at each strength above 0 and for each attack by itself: each of its settings against each other "
    "one of the study, Welch's t-test, one-sided. p is the largest of these, as all must hold; that of the reverse is "
    "the smallest of the reverse tests times their number. Both are adjusted by Holm over all rows. agrees: p below "
    f"{ALPHA:g}; differs: that of the reverse is; else undecided."
)
COLUMNS = {
    **dict.fromkeys(("claim", "dataset", "model", "study", "attack"), "str"),
    "strength": "float64",
    **dict.fromkeys(("setting", "other_setting"), "str"),
    "accuracy": "float64",
    "other_accuracy": "float64",
    "unmoved_share": "float64",
    "p": "float64",
    "p_holm": "float64",
    "p_reverse": "float64",
    "p_reverse_holm": "float64",
    "verdict": "str",
    "sentence": "str",
}
"""Columns with their types."""


def claims(stated: Mapping[str, Claim], found: pd.DataFrame) -> pd.DataFrame:
    """One row for each claim, dataset, attack and strength; none where not all settings of a claim were attacked.

    Args:
        stated: name -> claim.
        found: outcomes of attacks (``metrics.bit_studies.load``).

    Returns:
        ``COLUMNS``: ``setting`` is the weakest of the claim's settings, ``other_setting`` the strongest other one,
        ``accuracy`` and ``other_accuracy`` are their means, ``unmoved_share`` is of the weakest.
    """
    rows = [row for label, claim in stated.items() for row in _rows(label, claim, found)]
    for name in ("p", "p_reverse"):
        for row, adjusted in zip(rows, holm([row[name] for row in rows]), strict=True):
            row[f"{name}_holm"] = adjusted
    for row in rows:
        row["verdict"] = _verdict(row["p_holm"], row["p_reverse_holm"])
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def _rows(label: str, claim: Claim, found: pd.DataFrame) -> Iterable[dict[str, Any]]:
    mine = (found["study"] == claim.study) & (found["model"] == claim.model) & (found["strength"] > 0)
    own = found[mine & found["dataset"].isin(claim.dataset)]
    for (dataset, attack, strength), cell in own.groupby(["dataset", "attack", "strength"], sort=False):
        values = {name: one["accuracy"].to_numpy() for name, one in cell.groupby("setting", sort=False)}
        others = [name for name in values if name not in claim.best]
        if not others or not set(claim.best) <= set(values):
            continue
        means = {name: float(one.mean()) for name, one in values.items()}
        weakest, strongest = min(claim.best, key=means.__getitem__), max(others, key=means.__getitem__)
        pairs = [(values[best], values[other]) for best, other in product(claim.best, others)]
        forward = [larger_p(best, other) for best, other in pairs]
        reverse = [larger_p(other, best) for best, other in pairs]
        weak = cell[cell["setting"] == weakest]
        yield {
            "claim": label,
            "dataset": str(dataset),
            "model": claim.model,
            "study": claim.study,
            "attack": str(attack),
            "strength": strength,
            "setting": weakest,
            "other_setting": strongest,
            "accuracy": means[weakest],
            "other_accuracy": means[strongest],
            "unmoved_share": weak["unmoved"].sum(min_count=1) / weak["inputs"].sum(),
            "p": _all(forward),
            "p_reverse": _any(reverse),
            "sentence": claim.sentence,
        }


def _all(ps: list[float | None]) -> float | None:
    """The p that all of several hypotheses hold (intersection-union test); None where one says nothing."""
    said = [p for p in ps if p is not None]
    return max(said) if len(said) == len(ps) else None


def _any(ps: list[float | None]) -> float | None:
    """The p that any of them holds (Bonferroni); None where none says anything."""
    said = [p for p in ps if p is not None]
    return min(1.0, min(said) * len(ps)) if said else None


def _verdict(p: float | None, reverse: float | None) -> str:
    if p is not None and p < ALPHA:
        return "agrees"
    return "differs" if reverse is not None and reverse < ALPHA else "undecided"


def view(data: pd.DataFrame, datasets: Mapping[str, Dataset], titles: Mapping[str, str]) -> View:
    """What people see of them."""
    cells: dict[str, Iterable[str]] = {
        "dataset": [printed.title(dataset, datasets) for dataset in data["dataset"]],
        "network": data["model"],
        "claim": data["claim"],
        "attack": [titles.get(attack, attack) for attack in data["attack"]],
        "strength": [f"{strength:g}" for strength in data["strength"]],
        "weakest of the claim": [titles.get(name, name) for name in data["setting"]],
        "accuracy %": map(percent, data["accuracy"]),
        "unmoved %": map(percent, data["unmoved_share"]),
        "strongest other": [titles.get(name, name) for name in data["other_setting"]],
        "its accuracy %": map(percent, data["other_accuracy"]),
        "p, Holm": map(p_value, data["p_holm"]),
        "p of the reverse, Holm": map(p_value, data["p_reverse_holm"]),
        "verdict": data["verdict"],
    }
    return View.of("Which settings are the most robust", cells)
