"""Accuracy under attack by strength, and tests of which settings are the most robust."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Annotated, Any

import pandas as pd
from pydantic import Field

from quantrift.core.base.errors import nearest
from quantrift.core.settings.attacks import ATTACKS
from quantrift.core.settings.fields import Id, Strict
from quantrift.core.settings.references import CompressionId, DatasetId, ModelId
from quantrift.core.statistics import bit_study_accuracy, statistics
from quantrift.core.statistics.bit_tests import larger_p
from quantrift.core.statistics.column import SCALE, Column, frame, key, published, remark
from quantrift.core.statistics.statistics import ALPHA
from quantrift.study.results.tables import bit_rows, published_numbers
from quantrift.study.results.tables.answer_words import LISTED, Cells, Words, by, by_subject, extremes
from quantrift.study.results.tables.finished_table import Detail, Table, adjust
from quantrift.study.results.targets import over_bit_studies
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.over_bit_studies import states as states
from quantrift.study.results.targets.protocol_checks import Whole
from quantrift.study.results.targets.target import BitTarget


class Claim(Strict):
    """A claim that some settings of a study are more robust than its others, at each strength."""

    sentence: str
    """Sentence of the thesis, with its section."""
    study: Id
    dataset: list[DatasetId]
    """Datasets on which the claim is tested; those that the study lacks are left out."""
    model: ModelId
    best: Annotated[list[CompressionId], Field(min_length=1)]
    others: list[CompressionId] = Field(default_factory=list)
    """The settings that they are compared with; all others of the study where none is named."""


class Settings(BitTarget):
    """Accuracy under attack by strength, and tests of which settings are the most robust."""

    claims: dict[Id, Claim] = Field(default_factory=dict)


needs = over_bit_studies.outcomes


def mistakes(settings: Settings, whole: Whole) -> Iterator[str]:
    """Claims must be about studies of the target."""
    for label, claim in settings.claims.items():
        if claim.study not in settings.studies:
            yield (
                f"claims.{label}.study: unknown study of the target '{claim.study}'; "
                f"{nearest(claim.study, settings.studies)}"
            )


STRENGTH = key("strength", "Strength", "How far values move, as a share of their range.", "number")
UNMOVED = Column(
    "unmoved_share", "Unmoved", "fraction", "Inputs that the attack leaves as they are, as its gradient is 0 there."
)
CLAIM_COLUMNS = (
    key("claim", "Claim", kind="text"),
    *bit_rows.NAMED[:3],
    key("attack", "Attack"),
    STRENGTH,
    Column("setting", "Weakest of the claim", "id"),
    Column("other_setting", "Strongest other", "id"),
    Column("accuracy", "Accuracy", "fraction", "Accuracy of the weakest setting of the claim, mean over repetitions."),
    Column(
        "other_accuracy", "Its accuracy", "fraction", "Accuracy of the strongest other setting, mean over repetitions."
    ),
    UNMOVED,
    *(replace(column, group="statistics") for column in statistics.COLUMNS if column.name in ("p", "p_holm")),
    *(
        Column(f"p_reverse{end}", f"p of the reverse{words}", "p", group="statistics")
        for end, words in (("", ""), ("_holm", ", Holm"))
    ),
    Column("verdict", "Verdict", "text"),
    remark("sentence"),
)
KEYS = (*bit_rows.KEYS, "attack", "strength")
PUBLISHED = {"accuracy": "accuracy", "approximate": "approximate", "accuracy_least": "least", "accuracy_most": "most"}
"""Column of a number of the thesis -> its name in the file; least and most are of all strengths together."""
DETAILS = ("claims",)
MORE_IDS = ATTACKS
COLUMNS = (
    *bit_rows.NAMED,
    key("attack", "Attack"),
    STRENGTH,
    *bit_rows.ACCURACIES,
    UNMOVED,
    *bit_rows.PUBLISHED,
    *(
        published(Column(f"accuracy_{end}", f"Accuracy, {end}", "fraction", "Of all strengths above 0 together."))
        for end in ("least", "most")
    ),
    SCALE,
)


def make(settings: Settings, given: Given) -> Table:
    """A row for each dataset, network, setting, attack and strength; claims are a detail."""
    found = bit_study_accuracy.load(given.files["outcomes"])
    sums = found.groupby(list(KEYS), sort=False)[["unmoved", "inputs"]].sum(min_count=1)
    numbers = published_numbers.read(given.published, KEYS)
    rows = bit_study_accuracy.summary(found, KEYS).to_dict("records")
    for row, share in zip(rows, (sums["unmoved"] / sums["inputs"]).to_numpy(dtype=float), strict=True):
        *name, strength = (row[name] for name in KEYS)
        beside = {
            **(published_numbers.beside(numbers, (*name, ""), given.published_as) if strength > 0 else {}),
            **published_numbers.beside(numbers, (*name, f"{strength:g}"), given.published_as),
        }
        row |= {
            "unmoved_share": share,
            "scale": given.scale,
            **{f"published_{column}": beside.get(theirs) for column, theirs in PUBLISHED.items()},
        }
    tested = _claims(settings.claims, found)
    return Table(
        frame(rows, COLUMNS),
        COLUMNS,
        [
            *bit_rows.notes(found, given),
            "Unmoved: inputs that the attack leaves as they are, because the gradient that it follows is 0 there. What "
            "is robust for this reason alone is not robust against an attack along another gradient.",
            (
                "A claim is tested at each strength above 0 and for each attack by itself. A one-sided Welch's t-test "
                "compares each of its settings with each other setting of the study. p is the largest of these, as all "
                "must hold. The p of the reverse is the smallest p of the reverse tests times their number. Both are "
                f"adjusted by Holm over all rows. agrees: p is below {ALPHA:g}. differs: the p of the reverse is. "
                "undecided: neither is."
            )
            if len(tested)
            else "",
            *(f"Claim {name}: {settings.claims[name].sentence}" for name in tested["claim"].unique()),
        ],
        details={"claims": Detail("Tests of the most robust settings", tested, CLAIM_COLUMNS)},
    )


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> Iterable[str]:
    """The highest and the lowest accuracy under each attack at its greatest strength."""
    found = []
    for own in by_subject([row for row in rows if row["accuracy"]]):
        for attack, of_attack in by(own, "attack").items():
            strengths = by(of_attack, "strength")
            under = strengths[max(strengths, key=float)]
            found.append(
                f"{words.where(own)}: under {words.name(attack)} of {words.cell(under[0], 'strength')}, accuracy "
                f"{extremes(words, under, 'accuracy', 'setting')}."
            )
    return found[:LISTED]


def _claims(stated: Mapping[str, Claim], found: pd.DataFrame) -> pd.DataFrame:
    """One row for each claim, dataset, attack and strength; none where not all settings of a claim were attacked.

    Args:
        stated: name -> claim.
        found: outcomes of attacks (``statistics.bit_study_accuracy.load``).

    Returns:
        ``CLAIM_COLUMNS``: ``setting`` is the weakest of the claim's settings, ``other_setting`` the strongest other
        one, ``accuracy`` and ``other_accuracy`` are their means, ``unmoved_share`` is of the weakest.
    """
    rows = [row for label, claim in stated.items() for row in _rows(label, claim, found)]
    adjust(rows, "p")
    adjust(rows, "p_reverse")
    for row in rows:
        agrees, differs = (p is not None and p < ALPHA for p in (row["p_holm"], row["p_reverse_holm"]))
        row["verdict"] = "agrees" if agrees else "differs" if differs else "undecided"
    return frame(rows, CLAIM_COLUMNS)


def _rows(label: str, claim: Claim, found: pd.DataFrame) -> Iterator[dict[str, Any]]:
    own = found[
        (found["study"] == claim.study)
        & (found["model"] == claim.model)
        & (found["strength"] > 0)
        & found["dataset"].isin(claim.dataset)
    ]
    for (dataset, attack, strength), cell in own.groupby(["dataset", "attack", "strength"], sort=False):
        values = {name: one["accuracy"].to_numpy() for name, one in cell.groupby("setting", sort=False)}
        others = [name for name in values if name in claim.others or not (claim.others or name in claim.best)]
        if not others or not set(claim.best) <= set(values):
            continue
        means = {name: float(one.mean()) for name, one in values.items()}
        weakest, strongest = min(claim.best, key=means.__getitem__), max(others, key=means.__getitem__)
        pairs = [(values[best], values[other]) for best, other in product(claim.best, others)]
        forward = [larger_p(best, other) for best, other in pairs]
        reverse = [p for best, other in pairs if (p := larger_p(other, best)) is not None]
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
            # All of several hypotheses hold (intersection-union test); any of them holds (Bonferroni).
            "p": None if None in forward else max(p for p in forward if p is not None),
            "p_reverse": min(1.0, min(reverse) * len(pairs)) if reverse else None,
            "sentence": claim.sentence,
        }
