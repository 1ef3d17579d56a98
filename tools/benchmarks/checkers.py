"""Benchmark of checkers: planted faults of graded strength and good pairs, seen by every checker there is.

Six small networks of three families, trained on scikit-learn's digits. A checker sees 500 images with labels; others
decide whether a pair is broken (``league.planted.truth``). What a checker said of a pair is kept until files or code
change.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.benchmarks.benchmark import RESULTS, Benchmark, Result, Row, digits, kept, key, networks, write_csv

from quantrift.core.base.files import sha256
from quantrift.core.base.grouped import grouped
from quantrift.core.page import drawing as mpl
from quantrift.core.page.markdown import table
from quantrift.core.statistics.checker_figures import OfChecker, Share, caught_by, planted, scores, summaries
from quantrift.study.league import checker as checks
from quantrift.study.results.figures.kinds import checker_shares
from quantrift.study.results.tables.kinds.checkers import sentences

if TYPE_CHECKING:
    from quantrift.study.league.planted.graded_pairs import GradedPair

FOLDER = RESULTS / "checkers"
RUNNING = ("core", "judge/intake", "judge/verdict", "study/league")
"""Code on which the truth and what checkers say depend."""


@dataclass(eq=False)
class Checkers(Benchmark):
    """Share of broken pairs that each checker catches, at equal false alarms."""

    networks: int = 6
    """Of six; one of each family comes first."""
    seeds: int = 1
    """Draws of layer, channels and class for each fault."""
    formats: Sequence[str] = ("tflite", "onnx")
    """Kinds of files; networks beyond the first three have no .onnx files."""

    def measure(self) -> Result:
        """All pairs."""
        rows = list(self._rows())
        found = of_every_checker(rows)
        ours, others = (
            max((one.broken.value or 0 for one in found if one.ours == own), default=0.0) for own in (True, False)
        )
        return Result(
            value=ours,
            unit="of the broken pairs, caught by the best of Quantrift's checkers",
            baseline="the best of the others",
            ratio=ours / others if others else 1.0,
            details={f"{one.name}_caught": one.broken.value or 0.0 for one in found if one.missing is None},
            rows=rows,
        )

    def _rows(self) -> Iterator[Row]:
        """A row for each pair, with what every checker says of it."""
        # Only here, as these libraries take seconds to load.
        from quantrift.study.league import planted_pairs
        from quantrift.study.league.planted import graded_pairs, trained_networks

        by_tint = digits(embedded=True)
        for suffix in self.formats:
            # Pairs of one network of each family are made in .onnx files too.
            number = min(self.networks, 3) if suffix == "onnx" else self.networks
            for net, data, files in networks(trained_networks.NETWORKS[:number], by_tint, FOLDER):
                form = graded_pairs.FORMATS[f".{suffix}"]
                yield from planted_pairs.rows(net, data, form, files, self.seeds, partial(_asked_once, files / "rows"))


def _asked_once(folder: Path, pair: "GradedPair", name: str, find: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Answer of a checker to a pair, kept in a file until code or the pair changes."""
    # Of a checker from another package, only its name is known.
    code = key(sha256(pair.original), sha256(pair.compressed), name, *RUNNING)
    return dict(kept(folder / pair.name / f"{name}-{code}.json", find))


def of_every_checker(rows: Sequence[Row]) -> list[OfChecker]:
    """Figures of every checker there is, from rows of pairs."""
    return summaries(rows, {name: checks.about(name) for name in checks.names()})


def write_tables(rows: Sequence[Row], folder: Path) -> None:
    """Write a CSV file with a line for each checker, for each checker and fault, for each pair."""
    found = of_every_checker(rows)
    write_csv(folder / "checkers.csv", list(map(_line, found)))
    write_csv(
        folder / "checkers_by_fault.csv",
        [
            {"checker": one.name, "fault": fault, "half_caught_at": half.strength, "at_most": half.at_most}
            for one in found
            for fault, half in sorted(one.halves.items())
        ],
    )
    write_csv(folder / "checkers_scores.csv", list(map(scores, rows)))


def _line(one: OfChecker) -> dict[str, Any]:
    shares = {
        "broken": one.broken,
        "planted": one.planted,
        "harmless": one.harmless,
        "false_alarms": one.false,
        "layer": one.layer,
    }
    line: dict[str, Any] = {"checker": one.name, "title": one.title, "missing": one.missing}
    for name, share in shares.items():
        low, high = (share or Share(0, 0)).interval or (None, None)
        line |= {f"{name}_share": share and share.value, f"{name}_low": low, f"{name}_high": high}
        line[f"{name}_pairs"] = share and share.of
    # NaN is nothing that other programs read.
    line["ranked"] = None if math.isnan(one.ranked) else one.ranked
    return line | {"processor_seconds": one.seconds, "failed": one.failed}


def text(rows: Sequence[Row]) -> str:
    """The tables for people, with the faults that only one checker catches."""
    found = of_every_checker(rows)
    shares = ["broken pairs caught %", "planted faults caught %", "harmless faults that alarm %", "false alarms %"]
    head = ["checker", "faults ranked above good pairs %", *shares, "layer named rightly %", "processor seconds"]
    parts = [
        *sentences(rows),
        table(head, map(_cells, found)),
        _halves(rows, [one for one in found if one.missing is None]),
        *_only(rows, found),
    ]
    return "\n\n".join(parts) + "\n"


def _cells(one: OfChecker) -> list[str]:
    if one.missing is not None:
        return [one.title, one.missing, *[""] * 6]
    of = [f"{share}{_of(share)}" for share in (one.broken, one.planted, one.harmless)]
    layer = "names none" if one.layer is None else f"{one.layer}{_of(one.layer)}"
    seconds = "not measured" if one.seconds is None else f"{one.seconds:.2g}"
    return [one.title, f"{100 * one.ranked:.0f}", *of, str(one.false), layer, seconds]


def _of(share: Share) -> str:
    return f", of {share.of}" if share.of else ""


def _halves(rows: Sequence[Row], ran: Sequence[OfChecker]) -> str:
    strengths = grouped((row["fault"], row["strength"]) for row in filter(planted, rows))
    planted_at = [", ".join(f"{one:g}" for one in sorted({*some})) for some in strengths.values()]
    of_checkers = ([one.title, *(one.halves.get(fault, "no pair") for fault in strengths)] for one in ran)
    return table(["strength at which half is caught", *strengths], [["*strengths*", *planted_at], *of_checkers])


def _only(rows: Sequence[Row], found: Sequence[OfChecker]) -> Iterator[str]:
    """Broken pairs that few checkers catch, and those that Quantrift's miss."""
    kinds: Mapping[str, Callable[[Sequence[OfChecker]], bool]] = {
        "**Caught by one checker alone** (broken pairs):": lambda some: len(some) == 1,
        "**Caught by none**:": lambda some: not some,
        "**Caught by others, missed by all of Quantrift's**:": lambda some: (
            bool(some) and not any(one.ours for one in some)
        ),
        "**Caught by Quantrift's alone**:": lambda some: bool(some) and all(one.ours for one in some),
    }
    caught = caught_by(rows, found)
    for title, is_meant in kinds.items():
        yield title
        yield "\n".join(_named(rows[number], some) for number, some in caught.items() if is_meant(some)) or "None."


def _named(row: Row, caught: Iterable[OfChecker]) -> str:
    by = ", ".join(one.title for one in caught)
    return f"* {row['network']}, .{row['format']}, {row['fault']} {row['strength']:g}{by and f': {by}'}"


def figure(rows: Sequence[Row]) -> mpl.Figure:
    """Shares of broken pairs and of all planted faults that each checker catches, with their intervals."""
    shown = [one for one in of_every_checker(rows) if one.missing is None and one.broken.of]
    ends = {name: [getattr(one, name) for one in shown] for name in checker_shares.SERIES}
    return checker_shares.drawn(
        [one.title for one in shown],
        {name: [(of.value or 0.0, *(of.interval or (0.0, 0.0))) for of in shares] for name, shares in ends.items()},
    )
