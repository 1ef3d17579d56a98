"""Checkers of quantized networks compared on planted faults and good pairs, at equal false alarms."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import pandas as pd

from quantrift.core.base.errors import check_name
from quantrift.core.page.number_format import distinct
from quantrift.core.page.shared_columns import estimate
from quantrift.core.statistics import checker_figures
from quantrift.core.statistics.checker_figures import (
    ALLOWED,
    OfChecker,
    Row,
    good,
    planted,
    read_all,
    scores,
    summaries,
)
from quantrift.core.statistics.column import SCALE, Column, frame, key, with_interval
from quantrift.study.results.tables.answer_words import Cells, Words, extremes, grouped, listed
from quantrift.study.results.tables.finished_table import Detail, Table
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import Target


class Settings(Target):
    """Shares of faulty networks that checkers catch, and of good ones on which they alarm."""

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
    rows, checkers = read_all(given.one("checked").values())
    check_name(f"against: there is no checker '{settings.against}'", settings.against, checkers)
    found = summaries(rows, checkers)
    [reference] = [one for one in found if one.name == settings.against]
    return Table(
        frame([_row(rows, one, reference) | {"scale": given.scale} for one in found], COLUMNS),
        COLUMNS,
        _notes(rows, reference, given.scale),
        timing=pd.DataFrame([{"checker": one.name, "processor_seconds": one.seconds} for one in found]),
        details={"faults": _halves(rows, found), "scores": Detail("", pd.DataFrame(map(scores, rows)))},
        names={one.name: one.title for one in found},
    )


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> Iterable[str]:
    """The least and the most of ranks, of broken pairs caught, and of layers named rightly."""
    wanted = {
        "ranked": "Faults are ranked above good pairs",
        "broken": "Broken pairs caught",
        "false_alarms": "False alarms",
        "layer": "Layer named rightly",
    }
    found = [
        f"{said}: {extremes(words, own, column, 'checker')}."
        for column, said in wanted.items()
        if (own := [row for row in rows if row["ranked"] and row[column]])
    ]
    missing = [f"{words.name(row['checker'])} ({row['missing']})" for row in rows if row["missing"]]
    return [*found, *([f"Not run: {listed(missing)}."] if missing else [])]


def _row(rows: Sequence[Row], one: OfChecker, reference: OfChecker) -> dict[str, Any]:
    cells: dict[str, Any] = {"checker": one.name, "missing": one.missing}
    if one.missing is not None:
        return cells
    cells |= {"failed": one.failed} | estimate("ranked", checker_figures.ranked_share(rows, one))
    if one is not reference:
        cells |= dict(
            zip(
                ("ranked_more", "ranked_more_low", "ranked_more_high"),
                checker_figures.ranked_more(rows, one, reference),
                strict=True,
            )
        )
    for name, (column, number) in SHARES.items():
        if (share := getattr(one, name)) is not None:
            low, high = share.interval or (math.nan, math.nan)
            cells |= {
                column.name: share.value,
                f"{column.name}_low": low,
                f"{column.name}_high": high,
                number.name: share.of,
            }
    return cells


def _halves(rows: Sequence[Row], found: Sequence[OfChecker]) -> Detail:
    """A column for each fault."""
    columns = (
        key("checker", "Checker"),
        *(
            Column(fault.replace(" ", "_"), f"{fault} ({distinct((row['strength'] for row in own), '{:g}'.format)})")
            for fault, own in grouped(filter(planted, rows), itemgetter("fault")).items()
        ),
    )
    cells = [
        {"checker": one.name} | {fault.replace(" ", "_"): half.strength for fault, half in one.halves.items()}
        for one in found
        if one.missing is None
    ]
    return Detail("Strength at which half is caught", frame(cells, columns), columns)


def _notes(rows: Sequence[Row], reference: OfChecker, scale: str) -> list[str]:
    first, *more = sentences(rows)
    return [
        f"Scale: {scale}. Run seeds: none, each network is trained once. {first}",
        *more,
        f"A checker alarms on scores above the least threshold at which at most {100 * ALLOWED:.0f} % of the good "
        "pairs of all other networks alarm. Ranks need no threshold. Their differences are to those of "
        f"“{reference.title}”.",
        "Intervals are 95 %: Wilson for shares of pairs, which are too narrow, as pairs of one network depend on each "
        "other; for ranks and their differences a bootstrap over networks, left out for fewer than three.",
        "Strengths in parentheses were planted. Half is reached between two of them along their logarithms. Where the "
        "least one has half already, the true strength may be less. An empty cell says that half is not reached.",
    ]


def sentences(rows: Sequence[Row]) -> list[str]:
    """Numbers of networks, files, faults and good pairs; and how coarse thresholds are, where few good pairs set them.

    Args:
        rows: of all pairs, each with ``family``, ``network`` and ``format`` beside what figures are counted from.
    """
    networks = Counter(row["family"] for row in {row["network"]: row for row in rows}.values())
    families = ", ".join(f"{count} {family}" for family, count in networks.items())
    files = Counter(row["format"] for row in rows)
    not_good = sum(not planted(row) and not good(row) for row in rows)
    states = Counter(row["state"] for row in rows if planted(row))
    return [
        f"{len(rows)} pairs of {networks.total()} networks ({families}), "
        f"{' and '.join(f'{count} in .{kind}' for kind, count in files.items())}: "
        f"{sum(map(good, rows))} good ones, {sum(map(planted, rows))} with a planted fault. Held-out images show "
        f"{states['broken']} of these to be broken, {states['borderline']} undecided, {states['good']} harmless. "
        f"{not_good} files without a fault are not shown to be good and count nowhere.",
        *_warning(rows),
    ]


def _warning(rows: Sequence[Row]) -> list[str]:
    counts = Counter(row["network"] for row in rows if good(row))
    least = min((counts.total() - counts[network] for network in {row["network"] for row in rows}), default=0)
    if least * ALLOWED >= 1:
        return []
    if not least:
        return ["A network without good pairs of other networks has no thresholds. Ranks need none."]
    return [
        f"Thresholds rest on {least} good pairs of other networks, of which none may alarm, as one is more than "
        f"{100 * ALLOWED:.0f} %. So false alarms on the network itself differ between checkers: read shares caught "
        "together with them, and the ranks, which need no threshold."
    ]
