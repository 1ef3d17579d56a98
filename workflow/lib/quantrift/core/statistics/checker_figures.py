"""Figures of the comparison of checkers, from rows of pairs with what every checker said of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from quantrift.core.base.errors import refuse
from quantrift.core.base.files import read_json, write_json
from quantrift.core.base.grouped import grouped
from quantrift.core.statistics import intervals
from quantrift.core.statistics.equal_alarms import Half, Scored, alarms, half, ranked, wins
from quantrift.core.statistics.intervals import ends_of_quotient, pooled, resampled, wilson

ALLOWED = 0.05
"""Share of the good pairs of other networks that may alarm."""
OURS = "quantrift_"
"""Names of Quantrift's own checkers begin so."""
Row = Mapping[str, Any]


@dataclass(frozen=True)
class About:
    """A checker as those see it who cannot import it."""

    title: str
    meaning: str
    """Definition of the score, one line."""
    names_layer: bool
    """Whether it names a layer."""
    missing: str | None
    """Why it does not run, if it does not."""


@dataclass(frozen=True)
class Share:
    """A share of pairs with its Wilson interval (95 %)."""

    hits: int
    of: int

    @property
    def value(self) -> float | None:
        """``None`` without pairs."""
        return self.hits / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """``None`` without pairs."""
        return wilson(self.hits, self.of) if self.of else None

    def __str__(self) -> str:
        if self.interval is None:
            return "no pair"
        low, high = self.interval
        return f"{100 * self.hits / self.of:.0f} ({100 * low:.0f} to {100 * high:.0f})"


@dataclass(frozen=True, eq=False)
class OfChecker:
    """Figures of one checker."""

    name: str
    title: str
    meaning: str
    missing: str | None
    """Why it did not run, if it did not."""
    scores: Mapping[int, float]
    """Number of each pair that it scored -> the score."""
    alarmed: Mapping[int, bool]
    """Number of each pair that it judged -> whether it alarmed."""
    broken: Share
    """Caught, of the planted pairs that others than its inputs show to be broken."""
    planted: Share
    """Caught, of all planted pairs."""
    harmless: Share
    """Alarms on planted faults that the same images show to be harmless; neither right nor wrong."""
    false: Share
    """Alarms on good pairs, by thresholds of other networks."""
    layer: Share | None
    """Layer named rightly, of the pairs that it caught and whose faulty layer is known; ``None`` if it names none."""
    ranked: float
    """Probability that a planted fault scores higher than a good pair of the same network; NaN without scores."""
    rare: Mapping[float, Share]
    """Share of the inputs that a conditional fault acts on -> caught, of the pairs with such faults."""
    halves: Mapping[str, Half]
    """Fault -> strength at which it catches half."""
    seconds: float | None
    """Processor seconds of a pair, median."""
    failed: int
    """Pairs on which it failed or had nothing to say."""

    @property
    def ours(self) -> bool:
        """Whether it is one of Quantrift's own."""
        return self.name.startswith(OURS)


def write(out: Path, rows: Sequence[Row], checkers: Mapping[str, About]) -> None:
    """Write what checkers said of pairs, and beside it what a clock measured: ``<name>.timing.json``.

    Args:
        out: .json with ``checkers``, each described, and ``rows`` without seconds.
        rows: of the pairs (``quantrift.study.league.planted_pairs.rows``).
        checkers: all there are, those that did not run with the reason.
    """
    said = [{name: dict(one) for name, one in row["checkers"].items()} for row in rows]
    write_json(_timing(out), {"seconds": [{name: one.pop("seconds") for name, one in row.items()} for row in said]})
    write_json(
        out,
        {
            "checkers": {name: asdict(one) for name, one in checkers.items()},
            "rows": [{**row, "checkers": of_row} for row, of_row in zip(rows, said, strict=True)],
        },
    )


def read(path: Path) -> tuple[list[Row], dict[str, About]]:
    """Rows with their seconds, and the checkers, as ``write`` was given them."""
    whole = read_json(path)
    rows = whole["rows"]
    for row, seconds in zip(rows, read_json(_timing(path))["seconds"], strict=True):
        for name, one in row["checkers"].items():
            one["seconds"] = seconds[name]
    return rows, {name: About(**one) for name, one in whole["checkers"].items()}


def read_all(paths: Iterable[Path]) -> tuple[list[Row], dict[str, About]]:
    """The rows of several files, and every checker; one that ran anywhere is not missing.

    Raises:
        QuantriftError: there is no row.
    """
    found = [read(path) for path in paths]
    checkers: dict[str, About] = {}
    for _, about in found:
        checkers |= {name: one for name, one in about.items() if name not in checkers or one.missing is None}
    rows = [row for own, _ in found for row in own]
    refuse((not rows, "there is no network with planted faults; name some in `checkers`"))
    return rows, checkers


def _timing(path: Path) -> Path:
    return path.with_suffix(".timing.json")


def conditional(row: Row) -> bool:
    """Whether a fault was planted that acts on a share of the inputs alone; its strength is that share."""
    return bool(row["conditional"])


def planted(row: Row) -> bool:
    """Whether another fault was planted."""
    return row["strength"] is not None and not conditional(row)


def scores(row: Row) -> dict[str, Any]:
    """Facts of a pair, and the score of each checker by its name."""
    return {name: value for name, value in row.items() if name != "checkers"} | {
        name: one["score"] for name, one in row["checkers"].items()
    }


def good(row: Row) -> bool:
    """Whether an alarm on it is false: made without a fault, and shown to be good."""
    return row["strength"] is None and row["state"] == "good"


def broken(row: Row) -> bool:
    """Whether a fault was planted that broke the network."""
    return planted(row) and row["state"] == "broken"


def harmless(row: Row) -> bool:
    """Whether a fault was planted that shows on none of the limits."""
    return planted(row) and row["state"] == "good"


def summaries(rows: Sequence[Row], checkers: Mapping[str, About], allowed: float = ALLOWED) -> list[OfChecker]:
    """Figures of checkers, those that tell faults best from good pairs first, the missing ones last.

    Args:
        rows: of all pairs; ``checkers`` of a row holds what each said of it, by name.
        checkers: each by its name.
        allowed: share of the good pairs of other networks that may alarm.
    """
    return sorted(
        (_summary(name, about, rows, allowed) for name, about in checkers.items()),
        key=lambda one: (one.missing is not None, -np.nan_to_num(one.ranked), one.name),
    )


def _summary(name: str, about: About, rows: Sequence[Row], allowed: float) -> OfChecker:
    said = {number: row["checkers"][name] for number, row in enumerate(rows) if name in row["checkers"]}
    scored = {number: one for number, one in said.items() if one["score"] is not None}
    missing = None
    if not scored:
        missing = about.missing or ("no score on any pair" if said else "reads no file of these pairs")
    pairs = [Scored(rows[number]["network"], one["score"], good(rows[number])) for number, one in scored.items()]
    found = {number: one for number, one in zip(scored, alarms(pairs, allowed), strict=True) if one is not None}

    def share(holds: Any) -> Share:
        chosen = [alarm for number, alarm in found.items() if holds(rows[number])]
        return Share(sum(chosen), len(chosen))

    return OfChecker(
        name=name,
        title=about.title,
        meaning=about.meaning,
        missing=missing,
        scores={number: one["score"] for number, one in scored.items()},
        alarmed=found,
        broken=share(broken),
        planted=share(planted),
        harmless=share(harmless),
        false=share(good),
        layer=_layer(rows, found, scored) if about.names_layer else None,
        rare={
            strength: Share(sum(caught), len(caught))
            for strength, caught in sorted(
                grouped(
                    (rows[number]["strength"], alarm) for number, alarm in found.items() if conditional(rows[number])
                ).items()
            )
        },
        ranked=ranked(pairs, [planted(rows[number]) for number in scored]),
        halves=dict(_halves(rows, found)),
        seconds=median(one["seconds"] for one in scored.values()) if scored else None,
        failed=len(said) - len(scored),
    )


def _layer(rows: Sequence[Row], found: Mapping[int, bool], scored: Mapping[int, Row]) -> Share:
    told = [number for number, alarm in found.items() if alarm and planted(rows[number]) and rows[number]["layer"]]
    return Share(sum(scored[number]["layer"] == rows[number]["layer"] for number in told), len(told))


def _halves(rows: Sequence[Row], found: Mapping[int, bool]) -> Iterator[tuple[str, Half]]:
    told = ((rows[number], alarm) for number, alarm in found.items() if planted(rows[number]))
    by_fault = grouped((row["fault"], (row["strength"], alarm)) for row, alarm in told)
    return ((fault, half(grouped(caught))) for fault, caught in by_fault.items())


def caught_by(rows: Sequence[Row], found: Sequence[OfChecker]) -> dict[int, list[OfChecker]]:
    """Number of each broken pair -> the checkers that caught it."""
    return {
        number: [one for one in found if one.alarmed.get(number, False)]
        for number, row in enumerate(rows)
        if broken(row)
    }


UNIT = "network"


def ranked_share(rows: Sequence[Row], one: OfChecker) -> intervals.Share:
    """Probability that a planted fault scores higher than a good pair of the same network, ties counted half.

    Args:
        rows: of all pairs.
        one: figures of a checker that scored some.
    """
    won, of = np.array([*_wins(rows, one.scores).values()], np.float64).reshape(-1, 2).T
    return pooled(np.arange(len(of)), won, of, UNIT)


def ranked_more(rows: Sequence[Row], one: OfChecker, other: OfChecker) -> tuple[float, float, float]:
    """Difference of that probability to another checker's, over the pairs that both scored, with its interval.

    Args:
        rows: of all pairs.
        one: a checker.
        other: the one whose probability is subtracted.

    Returns:
        The difference and the ends of its interval; NaN without pairs, ends NaN from fewer than three networks.
    """
    own, others = (
        _wins(rows, {number: score for number, score in by.scores.items() if number in also.scores})
        for by, also in ((one, other), (other, one))
    )
    counts = np.array([(own[name][0] - others[name][0], own[name][1]) for name in own], np.float64).reshape(-1, 2)
    if not len(counts):
        return np.nan, np.nan, np.nan
    difference = float(counts[:, 0].sum() / counts[:, 1].sum())
    return difference, *ends_of_quotient(difference, resampled(np.arange(len(counts)), counts), len(counts))


def _wins(rows: Sequence[Row], scores: Mapping[int, float]) -> dict[str, tuple[float, int]]:
    pairs = [Scored(rows[number]["network"], score, good(rows[number])) for number, score in scores.items()]
    return wins(pairs, [planted(rows[number]) for number in scores])
