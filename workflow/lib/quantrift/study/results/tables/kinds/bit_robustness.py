"""Accuracy under attack by strength, and tests of which settings are the most robust."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from pydantic import Field

from quantrift.core.base.errors import nearest
from quantrift.core.settings.attacks import ATTACKS
from quantrift.core.settings.fields import Id
from quantrift.core.statistics import bit_study_accuracy
from quantrift.core.statistics.column import SCALE, Column, frame, key, published
from quantrift.study.results.tables import bit_claims, bit_rows, published_rows
from quantrift.study.results.tables.answer_words import LISTED, Cells, Words, by_subject, extremes
from quantrift.study.results.tables.bit_claims import Claim
from quantrift.study.results.tables.finished_table import Detail, Table
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.over_bit_studies import states as states
from quantrift.study.results.targets.protocol_checks import Whole
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import BitTarget


class Settings(BitTarget):
    """Accuracy under attack by strength, and tests of which settings are the most robust."""

    kind: Literal["bit_robustness"]
    claims: dict[Id, Claim] = Field(default_factory=dict)


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """Outcomes of attacks on the networks of each study, without blocks in which no network is attacked."""
    return {"outcomes": results.bits(settings, "robustness.parquet", attacked=True)}


def mistakes(settings: Settings, whole: Whole) -> Iterator[str]:
    """Claims must be about studies of the target."""
    for label, claim in settings.claims.items():
        if claim.study not in settings.studies:
            words = nearest(claim.study, settings.studies)
            yield f"claims.{label}.study: unknown study of the target '{claim.study}'; {words}"


KEYS = (*bit_rows.KEYS, "attack", "strength")
PUBLISHED = {"accuracy": "accuracy", "approximate": "approximate", "accuracy_least": "least", "accuracy_most": "most"}
"""Column of a number of the thesis -> its name in the file; least and most are of all strengths together."""
DETAILS = ("claims",)
MORE_IDS = ATTACKS
COLUMNS = (
    *bit_rows.NAMED,
    key("attack", "Attack"),
    bit_claims.STRENGTH,
    *bit_rows.ACCURACIES,
    bit_claims.UNMOVED,
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
    shares = (sums["unmoved"] / sums["inputs"]).to_numpy(dtype=float)
    numbers = published_rows.read(given.published, KEYS)
    rows = bit_study_accuracy.summary(found, KEYS).to_dict("records")
    for row, share in zip(rows, shares, strict=True):
        *name, strength = (row[name] for name in KEYS)
        beside = dict(published_rows.beside(numbers, (*name, ""), given.datasets)) if strength > 0 else {}
        beside |= published_rows.beside(numbers, (*name, f"{strength:g}"), given.datasets)
        row |= {f"published_{column}": beside.get(theirs) for column, theirs in PUBLISHED.items()}
        row |= {"unmoved_share": share, "scale": given.scale}
    claims = bit_claims.claims(settings.claims, found)
    notes = bit_rows.notes(found, given)
    notes.append(
        "Unmoved: inputs that the attack leaves as they are, because the gradient that it follows is 0 there. What "
        "is robust for this reason alone is not robust against an attack along another gradient."
    )
    if len(claims):
        sentences = claims.drop_duplicates("claim")[["claim", "sentence"]].itertuples(index=False)
        notes += [bit_claims.EXPLANATION, *(f"Claim {label}: {sentence}" for label, sentence in sentences)]
    detail = Detail("Tests of the most robust settings", claims, bit_claims.COLUMNS)
    return Table(frame(rows, COLUMNS), COLUMNS, notes, details={"claims": detail})


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> list[str]:
    """The highest and the lowest accuracy under each attack at its greatest strength."""
    found = []
    for own in by_subject([row for row in rows if row["accuracy"]]):
        for attack in dict.fromkeys(row["attack"] for row in own):
            of_attack = [row for row in own if row["attack"] == attack]
            most = max((row["strength"] for row in of_attack), key=float)
            under = [row for row in of_attack if row["strength"] == most]
            ends = extremes(words, under, "accuracy", "setting")
            where = words.where(own)
            found.append(f"{where}: under {words.name(attack)} of {words.cell(under[0], 'strength')}, accuracy {ends}.")
    return found[:LISTED]
