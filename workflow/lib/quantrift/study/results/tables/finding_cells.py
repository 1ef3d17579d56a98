"""Cells of a table of findings: tests of each hypothesis on each subject in each metric."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Literal

import pandas as pd

from quantrift.core.page.number_format import missing
from quantrift.core.statistics.published import SUBJECT
from quantrift.core.statistics.run_seeds import KEYS
from quantrift.core.statistics.statistics import ALPHA, Evidence, evidence, holm
from quantrift.study.results.tables.answer_words import grouped
from quantrift.study.results.tables.measured_runs import Subject
from quantrift.study.results.targets.hypotheses import HypothesesTarget, Hypothesis, Side, SpreadHypothesis

Verdict = Literal["for", "against", "undecided"]
SPREAD = "spread"
"""Median over run seeds of the mean distance between the scaled vectors of a run seed."""
Measured = Mapping[tuple[Subject, str], pd.DataFrame]
"""(Subject, tool) -> its metrics of each run seed, indexed by run seed."""
Sides = tuple[Measured, Measured]
"""The side that should be larger, and the other."""


@dataclass(frozen=True)
class Compared:
    """Two values that a hypothesis compares in one metric."""

    label: str
    """Label of the hypothesis."""
    metric: str
    subject: Subject
    """Subject of the side that should be larger; a key is "" where a paper pools."""
    other: Subject
    """Subject of the side that should be smaller; it differs where compressions or datasets are compared."""
    larger: float | None
    """Value of the side that should be larger: mean of its tools' medians; None where it was not run."""
    smaller: float | None
    """Value of the other side."""


@dataclass(frozen=True)
class Cell(Compared):
    """One hypothesis on one subject in one metric."""

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


def families(found: Sequence[Cell], settings: HypothesesTarget) -> list[list[int]]:
    """Places of the cells of each finding, those of controls apart by the hypothesis that they control.

    Each finding is a claim of its own, so it is a family of its own: over the whole table no result of ten run seeds,
    which are the paper's for two findings, could be significant. A control asks another question, so how many controls
    a claim has decides nothing about the claim.
    """
    controls = {label: one.control_of or "" for label, one in settings.hypotheses.items()}
    asked = [(settings.claims[cell.label].finding, controls.get(cell.label, "")) for cell in found]
    return [places for _, places in sorted(grouped(range(len(found)), asked.__getitem__).items())]


def adjusted(found: Sequence[Cell], settings: HypothesesTarget) -> list[Cell]:
    """All cells with Holm's adjustment, for each family once over its hypotheses and once over their reverses."""
    both = list(found)
    for places in families(found, settings):
        towards = holm([found[place].evidence.p for place in places])
        away = holm([found[place].evidence.p_reverse for place in places])
        for place, p, reverse in zip(places, towards, away, strict=True):
            both[place] = replace(found[place], p_holm=p, p_reverse_holm=reverse)
    return [replace(cell, control=_control(cell, both, settings.hypotheses)) for cell in both]


def load(files: Sequence[Path]) -> Measured:
    """The per-run-seed CSVs of some experiments under one protocol, in their order."""
    return {
        ((dataset, model, compression), tool): table.set_index("run_seed").sort_index()
        for table in map(pd.read_csv, files)
        for dataset, model, compression, tool in [[str(table[key].iloc[0]) for key in KEYS[:-1]]]
    }


def cells(label: str, one: Hypothesis, measured: Sides, published_as: Mapping[str, str]) -> Iterator[Cell]:
    """The cells of a hypothesis, p-values still unadjusted.

    Args:
        label: its label.
        one: the hypothesis.
        measured: the searches of its two sides.
        published_as: id -> id of its published numbers, where that is another.
    """
    subjects = list(dict.fromkeys(subject for side in measured for subject, _ in side))
    for (subject, other), metric in product(_pairs(one, subjects, published_as), one.metrics):
        sides = ((measured[0], one.larger, subject), (measured[1], one.smaller, other))
        larger, smaller = (_tools(*side, metric) for side in sides)
        said = Evidence(run_seeds=0)
        if larger is not None and smaller is not None:
            first, second = (tools.mean(axis=1, skipna=False) for tools in (larger, smaller))
            if one.paired:
                first, second = first.align(second, join="inner")
            shared = any((runs[of, tool]["inputs_shared"] > 0).any() for runs, side, of in sides for tool in side.tools)
            said = evidence(first.to_numpy(), second.to_numpy(), paired=one.paired, test=not shared)
        # The mean over run seeds tells more where most of them are 0.
        ours, theirs = (
            (None, None) if tools is None else [float(of.mean(skipna=False)) for of in (tools.median(), tools.mean())]
            for tools in (larger, smaller)
        )
        yield Cell(label, metric, subject, other, ours[0], theirs[0], said, (ours[1], theirs[1]))


def _pairs(
    one: Hypothesis, subjects: Sequence[Subject], published_as: Mapping[str, str]
) -> Iterator[tuple[Subject, Subject]]:
    """Subjects of the side that should be larger, each with the other side's on the same network."""

    def belongs(subject: Subject, side: Side) -> bool:
        dataset = published_as.get(subject[0], subject[0])
        return side.dataset in (None, dataset) and side.compression in (None, subject[2])

    for subject, dataset in product(subjects, dict.fromkeys(name for name, *_ in subjects)):
        other = (dataset, subject[1], one.smaller.compression or subject[2])
        if (
            belongs(subject, one.larger)
            and belongs(other, one.smaller)
            and (one.smaller.dataset or dataset == subject[0])
        ):
            yield subject, other


def _tools(measured: Measured, side: Side, subject: Subject, metric: str) -> pd.DataFrame | None:
    """A side on a subject, a row a run seed, a column a tool; None where one of its tools was not run there."""
    own = [(subject, tool) for tool in side.tools]
    taken = [((*subject[:2], side.minus), tool) for tool in side.tools if side.minus]
    if not own or not {*own, *taken} <= measured.keys():
        return None
    parts = [_values(measured[key], side.seeds, metric) for key in own]
    if taken:
        others = [_values(measured[key], side.seeds, metric) for key in taken]
        pairs = [values.align(other, join="inner") for values, other in zip(parts, others, strict=True)]
        parts = [values - other for values, other in pairs]
    return pd.concat(parts, axis=1, join="inner")


def _values(table: pd.DataFrame, seeds: bool, metric: str) -> pd.Series:
    """A metric by run seed; of a side of seed inputs, the number or share on which the two models disagree."""
    if not seeds:
        return table[metric].astype("float64")
    disagreeing = (table["inputs"] - table["inputs_agreeing"]).astype("float64")
    return disagreeing if metric == "n_dii" else disagreeing / table["inputs"]


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


def spreads(label: str, one: SpreadHypothesis, table: Path) -> Iterator[Cell]:
    """The cells of a hypothesis on the spread of vectors, p-values still unadjusted.

    Args:
        label: its label.
        one: the hypothesis.
        table: CSV of kind ``vector_distances``.
    """
    data = pd.read_csv(table)
    data = data[(data["form"] == "scaled") & (data["metaheuristic"] == one.metaheuristic)]
    for keys, rows in data.groupby(list(SUBJECT), sort=False):
        subject, of = tuple(map(str, keys)), rows.set_index("fitness")
        values = (of["within"].get(name, math.nan) for name in (one.larger, one.smaller))
        larger, smaller = (None if math.isnan(value) else float(value) for value in values)
        # The test stands in the row of the fitness function that the table names first.
        said = _of_spread(of.iloc[0], 1 if of.index[0] == one.larger else -1)
        yield Cell(label, SPREAD, subject, subject, larger, smaller, said)


def _of_spread(tested: pd.Series, sign: int) -> Evidence:
    """One-sided p of a two-sided signed-rank test: half of it in the direction that the ranks point to.

    Sign flips are symmetric about 0, so that is exact. The p of the other direction is at least 1 minus that.
    """
    pairs = 0 if missing(tested["within_pairs"]) else int(tested["within_pairs"])
    if not pairs:
        return Evidence(run_seeds=0)
    effect = float(tested["within_a12"]) if sign > 0 else 1 - float(tested["within_a12"])
    if missing(tested["within_p"]):
        return Evidence(pairs, a12=effect)
    direction, p = sign * float(tested["within_rank_biserial"]), float(tested["within_p"])
    towards, away = (p / 2, 1 - p / 2) if direction > 0 else (1 - p / 2, p / 2) if direction else (1.0, 1.0)
    return Evidence(pairs, towards, away, float(tested["within_p_min"]) / 2, effect)
