"""Checkers of quantized networks compared on planted faults and good pairs, at equal false alarms."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import pandas as pd

from quantrift.core.base.errors import QuantriftError, nearest
from quantrift.core.page.shared_columns import estimate
from quantrift.core.statistics import checker_figures
from quantrift.core.statistics.checker_figures import ALLOWED, About, OfChecker, Row, planted, read, scores, summaries
from quantrift.core.statistics.column import SCALE, Column, frame, key, with_interval
from quantrift.study.results.tables import checker_pairs
from quantrift.study.results.tables.answer_words import Cells, Words, extremes, listed
from quantrift.study.results.tables.finished_table import Detail, Table
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import Target


class Settings(Target):
    """Shares of faulty networks that checkers catch, and of good ones on which they alarm."""

    kind: Literal["checkers"]
    against: str = "sqnr_layers"
    """Checker whose ranks are subtracted from those of the others."""


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """What checkers say of the planted pairs of each network."""
    return {"checked": results.checked()}


SHARES = {
    "broken": (
        Column("broken", "Broken pairs caught", "fraction", "Pairs whose fault shows on images that no checker sees."),
        Column("n_broken", "Broken pairs", "count", group="runs"),
    ),
    "planted": (
        Column("planted", "Planted faults caught", "fraction", "Of all pairs with a planted fault."),
        Column("n_planted", "Planted faults", "count", group="runs"),
    ),
    "harmless": (
        Column(
            "harmless",
            "Harmless faults that alarm",
            "fraction",
            "Of the planted faults that the same images show to change next to nothing.",
        ),
        Column("n_harmless", "Harmless faults", "count", group="runs"),
    ),
    "false": (
        Column("false_alarms", "False alarms", "fraction", "Of the good pairs, by thresholds that other networks set."),
        Column("n_good", "Good pairs", "count", group="runs"),
    ),
    "layer": (
        Column(
            "layer",
            "Layer named rightly",
            "fraction",
            "Of the caught faults that lie in one layer; empty where a checker names none.",
        ),
        Column("n_layer", "Caught faults in one layer", "count", group="runs"),
    ),
}
"""Share of ``OfChecker`` -> its column, and that of the number of pairs that it is a share of."""
DETAILS = ("timing", "faults", "scores")
COLUMNS = (
    key("checker", "Checker"),
    *with_interval(
        Column(
            "ranked",
            "Faults ranked above good pairs",
            "fraction",
            "Probability that a planted fault scores higher than a good pair of the same network.",
        ),
        rests_on="ranked_rests_on",
    ),
    *with_interval(
        Column(
            "ranked_more",
            "Ranks, difference",
            "points",
            "That probability, less that of the checker that the notes name, over pairs that both scored.",
            no_effect=0,
        )
    ),
    *(column for share, number in SHARES.values() for column in (*with_interval(share), number)),
    Column("failed", "Failed", "count", "Pairs on which it failed or had nothing to say."),
    Column("missing", "Not run", "text", "Why the checker has no figures."),
    SCALE,
)


def make(settings: Settings, given: Given) -> Table:
    """A row for each checker, the best ranks first.

    Beside it stand the strengths at which each catches half of a fault, and the scores of every pair.

    Raises:
        QuantriftError: there is no pair, or no checker of the name in ``against``.
    """
    rows, checkers = _read(given)
    if settings.against not in checkers:
        known = nearest(settings.against, checkers)
        raise QuantriftError(f"against: there is no checker '{settings.against}'; {known}")
    found = summaries(rows, checkers)
    [reference] = [one for one in found if one.name == settings.against]
    times = pd.DataFrame([{"checker": one.name, "processor_seconds": one.seconds} for one in found])
    return Table(
        frame([_row(rows, one, reference) | {"scale": given.scale} for one in found], COLUMNS),
        COLUMNS,
        _notes(rows, reference, given.scale),
        timing=times,
        details={
            "faults": _halves(rows, found),
            "scores": Detail("", pd.DataFrame([scores(row) for row in rows])),
        },
        names={one.name: one.title for one in found},
    )


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> list[str]:
    """The least and the most of ranks, of broken pairs caught, and of layers named rightly."""
    ran = [row for row in rows if row["ranked"]]
    wanted = {
        "ranked": "Faults are ranked above good pairs",
        "broken": "Broken pairs caught",
        "false_alarms": "False alarms",
        "layer": "Layer named rightly",
    }
    found = [
        f"{said}: {extremes(words, own, column, 'checker')}."
        for column, said in wanted.items()
        if (own := [row for row in ran if row[column]])
    ]
    missing = [f"{words.name(row['checker'])} ({row['missing']})" for row in rows if row["missing"]]
    return [*found, *([f"Not run: {listed(missing)}."] if missing else [])]


def _read(given: Given) -> tuple[list[Row], dict[str, About]]:
    """The rows of all networks and kinds of files, and every checker; one that ran anywhere is not missing."""
    rows: list[Row] = []
    checkers: dict[str, About] = {}
    for path in given.one("checked").values():
        own, about = read(path)
        rows += own
        checkers |= {name: one for name, one in about.items() if name not in checkers or one.missing is None}
    if not rows:
        raise QuantriftError("there is no network with planted faults; name some in `checkers`")
    return rows, checkers


def _row(rows: Sequence[Row], one: OfChecker, reference: OfChecker) -> dict[str, Any]:
    cells: dict[str, Any] = {"checker": one.name, "missing": one.missing}
    if one.missing is not None:
        return cells
    cells |= {"failed": one.failed} | estimate("ranked", checker_figures.ranked_share(rows, one))
    if one is not reference:
        names = ("ranked_more", "ranked_more_low", "ranked_more_high")
        cells |= dict(zip(names, checker_figures.ranked_more(rows, one, reference), strict=True))
    for name, (column, number) in SHARES.items():
        share = getattr(one, name)
        if share is not None:
            low, high = share.interval or (math.nan, math.nan)
            cells |= {column.name: share.value, f"{column.name}_low": low, f"{column.name}_high": high}
            cells[number.name] = share.of
    return cells


def _halves(rows: Sequence[Row], found: Sequence[OfChecker]) -> Detail:
    """A column for each fault."""
    strengths: dict[str, set[float]] = defaultdict(set)
    for row in filter(planted, rows):
        strengths[row["fault"]].add(row["strength"])
    columns = (
        key("checker", "Checker"),
        *(
            Column(fault.replace(" ", "_"), f"{fault} ({', '.join(f'{one:g}' for one in sorted(some))})")
            for fault, some in strengths.items()
        ),
    )
    cells = [
        {"checker": one.name} | {fault.replace(" ", "_"): half.strength for fault, half in one.halves.items()}
        for one in found
        if one.missing is None
    ]
    return Detail("Strength at which half is caught", frame(cells, columns), columns)


def _notes(rows: Sequence[Row], reference: OfChecker, scale: str) -> list[str]:
    first, *more = checker_pairs.sentences(rows)
    return [
        f"Scale: {scale}. Run seeds: none, each network is trained once. {first}",
        *more,
        f"A checker alarms on scores above the least threshold at which at most {ALLOWED:.0%} of the good pairs of all "
        "other networks alarm. Ranks need no threshold. Their differences are to those of "
        f"“{reference.title}”.",
        "Intervals are 95 %: Wilson for shares of pairs, which are too narrow, as pairs of one network depend on each "
        "other; for ranks and their differences a bootstrap over networks, left out for fewer than three.",
        "Strengths in parentheses were planted. Half is reached between two of them along their logarithms. Where the "
        "least one has half already, the true strength may be less. An empty cell says that half is not reached.",
    ]
