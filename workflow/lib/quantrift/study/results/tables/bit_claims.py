"""Tests of the thesis's claims that some settings of a study are the most robust at each strength."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import product
from typing import Annotated, Any

import pandas as pd
from pydantic import Field

from quantrift.core.settings.fields import Id, Strict
from quantrift.core.settings.references import CompressionId, DatasetId, ModelId
from quantrift.core.statistics import statistics
from quantrift.core.statistics.bit_tests import larger_p
from quantrift.core.statistics.column import Column, frame, key, remark
from quantrift.core.statistics.statistics import ALPHA, holm
from quantrift.study.results.tables.bit_rows import NAMED

EXPLANATION = (
    "A claim is tested at each strength above 0 and for each attack by itself. A one-sided Welch's t-test compares "
    "each of its settings with each other setting of the study. p is the largest of these, as all must hold. The p of "
    "the reverse is the smallest p of the reverse tests times their number. Both are adjusted by Holm over all rows. "
    f"agrees: p is below {ALPHA:g}. differs: the p of the reverse is. undecided: neither is."
)
STRENGTH = key("strength", "Strength", "How far values move, as a share of their range.", "number")
UNMOVED = Column(
    "unmoved_share", "Unmoved", "fraction", "Inputs that the attack leaves as they are, as its gradient is 0 there."
)
P = {column.name: column for column in statistics.COLUMNS}
COLUMNS = (
    key("claim", "Claim", kind="text"),
    *NAMED[:3],
    key("attack", "Attack"),
    STRENGTH,
    Column("setting", "Weakest of the claim", "id"),
    Column("other_setting", "Strongest other", "id"),
    Column("accuracy", "Accuracy", "fraction", "Accuracy of the weakest setting of the claim, mean over repetitions."),
    Column(
        "other_accuracy", "Its accuracy", "fraction", "Accuracy of the strongest other setting, mean over repetitions."
    ),
    UNMOVED,
    *(replace(P[name], group="statistics") for name in ("p", "p_holm")),
    *(
        Column(f"p_reverse{end}", f"p of the reverse{words}", "p", group="statistics")
        for end, words in (("", ""), ("_holm", ", Holm"))
    ),
    Column("verdict", "Verdict", "text"),
    remark("sentence"),
)


class Claim(Strict):
    """A claim that some settings of a study are more robust than all its others, at each strength."""

    sentence: str
    """Sentence of the thesis, with its section."""
    study: Id
    dataset: list[DatasetId]
    """Datasets on which the claim is tested; those that the study lacks are left out."""
    model: ModelId
    best: Annotated[list[CompressionId], Field(min_length=1)]


def claims(stated: Mapping[str, Claim], found: pd.DataFrame) -> pd.DataFrame:
    """One row for each claim, dataset, attack and strength; none where not all settings of a claim were attacked.

    Args:
        stated: name -> claim.
        found: outcomes of attacks (``statistics.bit_study_accuracy.load``).

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
    return frame(rows, COLUMNS)


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
    """The p that all of several hypotheses hold (intersection-union test); None where one has no p."""
    said = [p for p in ps if p is not None]
    return max(said) if len(said) == len(ps) else None


def _any(ps: list[float | None]) -> float | None:
    """The p that any of them holds (Bonferroni); None where none has a p."""
    said = [p for p in ps if p is not None]
    return min(1.0, min(said) * len(ps)) if said else None


def _verdict(p: float | None, reverse: float | None) -> str:
    if p is not None and p < ALPHA:
        return "agrees"
    return "differs" if reverse is not None and reverse < ALPHA else "undecided"
