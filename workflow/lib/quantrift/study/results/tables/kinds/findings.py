"""Tests of a paper's findings, counted over subjects; means over several subjects never count."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any

from quantrift.core.page.number_format import distinct
from quantrift.core.statistics.column import SCALE, Column, frame, key
from quantrift.core.statistics.statistics import ALPHA, holm
from quantrift.study.results.tables.answer_words import Cells, Words, grouped
from quantrift.study.results.tables.comparison import NO_TEST
from quantrift.study.results.tables.finding_cells import (
    SPREAD,
    Cell,
    Compared,
    Measured,
    Sides,
    adjusted,
    cells,
    families,
    load,
    spreads,
)
from quantrift.study.results.tables.finding_details import METRICS, PublishedCell, details, published_cells
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.hypotheses import HypothesesTarget, Hypothesis, Side
from quantrift.study.results.targets.hypotheses import mistakes as mistakes
from quantrift.study.results.targets.results import Files, Results


class Settings(HypothesesTarget):
    """Tests of a paper's findings: each is a hypothesis fixed in advance, counted over subjects."""


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """Metrics of all searches, by the experiments that they belong to, and tables of distances."""
    metrics = {
        (experiment, *searched): files
        for experiment in settings.experiments
        for searched, files in results.metrics(settings, experiments=[experiment]).items()
    }
    return {"metrics": metrics, "distances": results.tables([one.distances for one in settings.spreads.values()])}


DETAILS = ("cells", "values", "published")
COLUMNS = (
    key("finding", "Finding"),
    key("claim", "Hypothesis", "Hypothesis that is tested on each dataset, network and compression by itself.", "text"),
    key("metric", "Metric"),
    key("sentence", "In the paper", kind="text"),
    Column("cells", "Cells", "count", "Datasets, networks and compressions on which the hypothesis is tested."),
    Column("cells_for", "For", "count", "Cells whose one-sided test is significant at 5 %."),
    Column("cells_against", "Against", "count", "Cells whose one-sided test of the reverse is significant at 5 %."),
    Column(
        "cells_undecided", "Undecided", "count", "Cells in which neither test is significant, or that were not run."
    ),
    Column("cells_not_run", "Of them not run", "count"),
    Column("cells_for_unadjusted", "For, unadjusted", "count", "Before Holm's correction over the finding."),
    Column("cells_against_unadjusted", "Against, unadjusted", "count", "Before Holm's correction over the finding."),
    Column(
        "cells_vanishing",
        "Vanishing",
        "count",
        "Cells that speak for the hypothesis although one of its controls does not hold.",
    ),
    Column(
        "published_cells_for",
        "For",
        "count",
        "Published differences with the sign that the hypothesis claims.",
        "published",
    ),
    Column("published_cells_against", "Against", "count", "Published differences with the reverse sign.", "published"),
    Column("published_cells_equal", "Equal", "count", "Published numbers without a difference.", "published"),
    Column("verdict", "Verdict", "text", "Summary of all cells."),
    SCALE,
)


def make(settings: Settings, given: Given) -> Table:
    """A row for each hypothesis and metric, and beside it one for each subject besides.

    A cell is a hypothesis on one subject: ``for`` where the one-sided test over run seeds is significant at 5 % after
    Holm's adjustment over all cells of the finding, ``against`` where that of the reverse is, else ``undecided``. Of
    the papers' numbers only the sign of each published difference is known.

    Raises:
        QuantriftError: a file of the paper's numbers has no numbers that a hypothesis names.
    """
    hypotheses = settings.hypotheses
    files = {
        experiment: [file for key in keys for file in given.files["metrics"][key]]
        for experiment, keys in grouped(given.files["metrics"], itemgetter(0)).items()
    }
    distances = {name: file for (name,), file in given.one("distances").items()}
    measured = {
        label: (_load(one, one.larger, files), _load(one, one.smaller, files)) for label, one in hypotheses.items()
    }
    every = chain(
        *(cells(label, one, measured[label], given.published_as) for label, one in hypotheses.items()),
        *(spreads(label, one, distances[one.distances]) for label, one in settings.spreads.items()),
    )
    found = adjusted(list(every), settings)
    places = _places(settings)

    def order(cell: Compared) -> int:
        return places.index((cell.label, cell.metric))

    tested, stated = sorted(found, key=order), sorted(published_cells(hypotheses, given.published), key=order)
    return Table(
        frame([_row(place, tested, stated, settings) | {"scale": given.scale} for place in places], COLUMNS),
        COLUMNS,
        _notes(settings, found, measured, given),
        details=details(tested, stated, settings),
        names={**{label: one.claim for label, one in settings.claims.items()}, **METRICS},
    )


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> Iterable[str]:
    """The verdict on each finding, in its first metric."""
    first = {row["finding"]: row for row in reversed(rows)}
    return [
        f"Finding {row['finding']} ({row['claim']}, {words.name(row['metric'])}): {row['verdict']}; "
        f"{row['cells_for']} of {row['cells']} cells for it, {row['cells_against']} against it."
        for row in reversed(first.values())
    ]


def _load(one: Hypothesis, side: Side, metrics: Mapping[str, Sequence[Path]]) -> Measured:
    """The searches of a side."""
    return load(list(dict.fromkeys(file for name in one.experiments(side) for file in metrics.get(name, ()))))


def _places(settings: Settings) -> list[tuple[str, str]]:
    """Hypotheses and metrics, by number of the finding, else in the order they are stated in."""
    metrics: dict[str, Sequence[str]] = {
        **{label: one.metrics for label, one in settings.hypotheses.items()},
        **{label: [SPREAD] for label in settings.spreads},
    }
    return [
        (label, metric)
        for label in sorted(metrics, key=lambda label: settings.claims[label].finding)
        for metric in metrics[label]
    ]


def _row(
    place: tuple[str, str], tested: Sequence[Cell], stated: Sequence[PublishedCell], settings: Settings
) -> dict[str, Any]:
    """Numbers of the cells of one hypothesis in one metric, for it, against it and undecided."""
    label, metric = place
    one = settings.claims[label]
    found = [cell for cell in tested if (cell.label, cell.metric) == place]
    verdicts, unadjusted = Counter(cell.verdict for cell in found), Counter(cell.unadjusted for cell in found)
    signs = Counter(cell.verdict for cell in stated if (cell.label, cell.metric) == place)
    row = {
        "finding": one.finding,
        "claim": one.claim,
        "metric": metric,
        "sentence": one.sentence,
        "cells": len(found),
        **{f"cells_{verdict}": verdicts[verdict] for verdict in ("for", "against", "undecided")},
        # They count as undecided.
        "cells_not_run": sum(not cell.run for cell in found),
        **{f"cells_{verdict}_unadjusted": unadjusted[verdict] for verdict in ("for", "against")},
        "cells_vanishing": sum(cell.control == "vanishes" for cell in found),
    }
    papers = {f"published_cells_{sign}": signs[sign] for sign in ("for", "against", "equal")} if signs else {}
    return row | {"verdict": _summary(row)} | papers


def _summary(row: Mapping[str, Any]) -> str:
    """Verdict over all cells, in a few words."""
    total, towards, away = (row[name] for name in ("cells", "cells_for", "cells_against"))
    if total == row["cells_not_run"]:
        return "not run"
    if bool(towards) == bool(away):
        return "mixed" if towards else "undecided"
    word = ("holds" if towards else "fails") + ("" if max(towards, away) == total else " in part")
    return word + (", vanishes against the control" if towards and row["cells_vanishing"] == towards else "")


def _notes(settings: Settings, found: Sequence[Cell], measured: Mapping[str, Sides], given: Given) -> list[str]:
    """Notes: scale, run seeds, inputs, and the rule for verdicts."""
    tables = [table for sides in measured.values() for side in sides for table in side.values()]
    lowest = [
        p
        for places in families(found, settings)
        for p in holm([found[place].evidence.p_min for place in places])
        if p is not None
    ]
    return [
        f"Scale: {given.scale}. Run seeds: {distinct(map(len, tables)) or 'none'}. Inputs of each run seed: "
        f"{distinct(int(number) for table in tables for number in table['inputs'].unique()) or 'none'}.",
        "A cell is a hypothesis on one dataset, network and compression in one metric. It speaks for the hypothesis "
        f"where the one-sided test over run seeds is significant at {100 * ALPHA:g} % after Holm's adjustment over "
        "all cells of its finding, those of controls apart. It speaks against the hypothesis where the test of the "
        "reverse is significant (adjusted likewise). Otherwise it is undecided: too few run seeds, no clear "
        "difference, or not run. Tests are signed-rank tests (Pratt) where both sides start from the same inputs, "
        "otherwise rank-sum tests.",
        "The hypothesis says that the first of two values is the larger one. Values are means of the tools' medians "
        "over run seeds, with the means over run seeds beside them. Rates are in percent, numbers are those of DIIs, "
        "and spread is the mean distance between scaled vectors.",
        (
            f"This table has {len(lowest)} tests in each direction. If each reached the smallest p its run seeds "
            f"allow, {sum(p < ALPHA for p in lowest)} of them would be significant after adjustment."
        )
        if lowest
        else NO_TEST,
        (
            "Published counts are the signs of published differences; no test of them is possible. Published in "
            f"{', '.join(file.name for file in given.published)}."
        )
        if given.published
        else "",
    ]
