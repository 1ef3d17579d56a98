"""Cells of a table of findings: tests of each hypothesis on each subject in each metric."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from quantrift.core.settings.datasets import Dataset
from quantrift.core.statistics.published import published_dataset
from quantrift.core.statistics.statistics import ALPHA, Evidence, evidence, holm
from quantrift.study.results.tables.finding_series import Sides, series
from quantrift.study.results.tables.measured_runs import Subject
from quantrift.study.results.targets.hypotheses import Claim, Hypothesis, Side

Verdict = Literal["for", "against", "undecided"]


@dataclass(frozen=True)
class Cell:
    """One hypothesis on one subject in one metric."""

    label: str
    """Label of the hypothesis."""
    metric: str
    subject: Subject
    """Subject of the side that should be larger."""
    other: Subject
    """Subject of the side that should be smaller; it differs where compressions or datasets are compared."""
    larger: float | None
    """Value of the side that should be larger: mean of its tools' medians; None where it was not run."""
    smaller: float | None
    """Value of the other side."""
    evidence: Evidence
    means: tuple[float | None, float | None] = (None, None)
    """Means of the two sides over run seeds, beside the medians."""
    p_holm: float | None = None
    """One-sided p for the hypothesis, adjusted over all cells of its finding."""
    p_reverse_holm: float | None = None
    """One-sided p for its reverse, likewise."""
    control: str = ""
    """``holds``, ``vanishes`` or ``not run``, for a cell that supports a hypothesis with controls."""

    @property
    def run(self) -> bool:
        """Whether both sides were run."""
        return self.larger is not None and self.smaller is not None

    @property
    def verdict(self) -> Verdict:
        """Verdict by the adjusted p-values."""
        return _verdict(self.p_holm, self.p_reverse_holm)

    @property
    def unadjusted(self) -> Verdict:
        """Verdict by the p-values before adjustment."""
        return _verdict(self.evidence.p, self.evidence.p_reverse)


def _verdict(p: float | None, p_reverse: float | None) -> Verdict:
    if p is not None and p < ALPHA:
        return "for"
    return "against" if p_reverse is not None and p_reverse < ALPHA else "undecided"


def families(found: Sequence[Cell], claims: Mapping[str, Claim]) -> list[list[int]]:
    """Places of the cells of each finding, those of controls apart by the hypothesis that they control.

    Each finding is a claim of its own, so it is a family of its own: over the whole table no result of ten run seeds,
    which are the paper's for two findings, could be significant. A control asks another question, so how many controls
    a claim has decides nothing about the claim.
    """

    def asks(cell: Cell) -> tuple[int, str]:
        claim = claims[cell.label]
        return claim.finding, (claim.control_of or "") if isinstance(claim, Hypothesis) else ""

    return [[place for place, cell in enumerate(found) if asks(cell) == one] for one in sorted({*map(asks, found)})]


def adjusted(found: Sequence[Cell], claims: Mapping[str, Claim], hypotheses: Mapping[str, Hypothesis]) -> list[Cell]:
    """All cells with Holm's adjustment, for each family once over its hypotheses and once over their reverses.

    Args:
        found: the cells.
        claims: label -> hypothesis, all of them.
        hypotheses: those that may have controls.
    """
    both = list(found)
    for places in families(found, claims):
        towards = holm([found[place].evidence.p for place in places])
        away = holm([found[place].evidence.p_reverse for place in places])
        for place, p, reverse in zip(places, towards, away, strict=True):
            both[place] = replace(found[place], p_holm=p, p_reverse_holm=reverse)
    return [replace(cell, control=_control(cell, both, hypotheses)) for cell in both]


def cells(label: str, one: Hypothesis, measured: Sides, datasets: Mapping[str, Dataset]) -> Iterator[Cell]:
    """The cells of a hypothesis, p-values still unadjusted.

    Args:
        label: its label.
        one: the hypothesis.
        measured: the searches of its two sides.
        datasets: settings of the datasets.
    """
    subjects = list(dict.fromkeys(subject for side in measured for subject, _ in side))
    for subject, other in pairs(one, subjects, datasets):
        for metric in one.metrics:
            larger = series(measured[0], one.larger, subject, metric)
            smaller = series(measured[1], one.smaller, other, metric)
            said = Evidence(run_seeds=0)
            if larger and smaller:
                first, second = larger.values, smaller.values
                if one.paired:
                    first, second = first.align(second, join="inner")
                test = not (larger.overlap or smaller.overlap)
                said = evidence(first.to_numpy(), second.to_numpy(), paired=one.paired, test=test)
            first_value, second_value = (side.cell if side else None for side in (larger, smaller))
            means = (larger.mean if larger else None, smaller.mean if smaller else None)
            yield Cell(label, metric, subject, other, first_value, second_value, said, means)


def pairs(
    one: Hypothesis, subjects: Sequence[Subject], datasets: Mapping[str, Dataset]
) -> Iterator[tuple[Subject, Subject]]:
    """Subjects of the side that should be larger, each with the other side's on the same network."""

    def belongs(subject: Subject, side: Side) -> bool:
        filed = side.dataset in (None, published_dataset(subject[0], datasets))
        return filed and side.compression in (None, subject[2])

    for subject in subjects:
        if not belongs(subject, one.larger):
            continue
        for dataset in dict.fromkeys(name for name, *_ in subjects):
            other = (dataset, subject[1], one.smaller.compression or subject[2])
            if belongs(other, one.smaller) and (one.smaller.dataset or dataset == subject[0]):
                yield subject, other


def _control(cell: Cell, found: Sequence[Cell], hypotheses: Mapping[str, Hypothesis]) -> str:
    if cell.verdict != "for":
        return ""
    controls = [
        other
        for other in found
        if other.label in hypotheses
        and hypotheses[other.label].control_of == cell.label
        and (other.subject, other.metric) == (cell.subject, cell.metric)
    ]
    if any(control.run and control.verdict != "for" for control in controls):
        return "vanishes"
    if not all(control.run for control in controls):
        return "not run"
    return "holds" if controls else ""
