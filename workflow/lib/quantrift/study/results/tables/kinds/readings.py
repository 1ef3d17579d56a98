"""Ways to read what a paper leaves open, by their distance from its published rates of random sampling, PSO and GA."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from quantrift.core.base.errors import refuse
from quantrift.core.page.shared_columns import RATES, SUBJECT
from quantrift.core.settings.fields import Strict
from quantrift.core.settings.references import ProtocolId, ToolId
from quantrift.core.statistics.column import SCALE, Column, frame, key, published, with_interval
from quantrift.core.statistics.published import SUBJECT as SUBJECT_KEYS
from quantrift.core.statistics.published import read_published
from quantrift.core.statistics.reading_distance import Sums
from quantrift.study.results.tables.answer_words import Cells, Words, grouped
from quantrift.study.results.tables.finished_table import Detail, Table
from quantrift.study.results.tables.judged_readings import (
    SEARCHERS,
    Judged,
    Printed,
    Search,
    Subject,
    Term,
    readings,
)
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Key, Results, asks
from quantrift.study.results.targets.target import SearchTarget

METRICS = ("vr", "dir", "sr")
HERE = "DiR alone"
"""How all other tables count survivors."""
WHERE = {"DiR alone": "again in DiR alone", "once": "once", "each generation": "in each generation"}
"""Count of survivors in words."""


class Default(Strict):
    """The reading of all other tables."""

    tool: ToolId
    """Its tool with PSO."""
    protocol: ProtocolId


class Settings(SearchTarget):
    """A row for each search with PSO of the experiments, with the tools of random sampling and GA that read alike."""

    default: Default
    printed: Annotated[list[Printed], Field(min_length=1)]

    @property
    def published_files(self) -> list[str]:
        """Those of the printed rates."""
        return list(dict.fromkeys(one.file for one in self.printed))


needs = asks(searches=Results.counts)


def states(settings: Settings, results: Results) -> dict[str, dict[str, Any]]:
    """Settings of the tools and protocols, which say how each reads what is open."""
    searched = results.counts(settings)
    return {
        "tools": results.stated("tools", list(dict.fromkeys(one[3] for one in searched))),
        "protocols": results.stated("protocols", list(dict.fromkeys(one[4] for one in searched))),
    }


def mistakes(settings: Settings, whole: protocol_checks.Whole) -> Iterator[str]:
    """Tools must be of the searchers that readings have, share inputs and budgets, and have the default among them."""
    experiments = [whole.experiments[name] for name in settings.experiments]
    searches = [(tool, experiment.protocol) for experiment in experiments for tool in experiment.tools]
    for tool, _ in searches:
        if whole.tools[tool].searcher.name not in SEARCHERS:
            yield f"from: '{tool}' has none of the searchers {', '.join(SEARCHERS)}; leave it out of the experiments"
    protocols = dict.fromkeys(protocol for _, protocol in searches)
    if len({str({**whole.protocols[name].model_dump(), "patience": None}) for name in protocols}) > 1:
        yield f"from: {', '.join(protocols)} may differ in patience alone, as readings share inputs and budgets"
    if (settings.default.tool, settings.default.protocol) not in searches:
        yield f"default: no experiment searches '{settings.default.tool}' under {settings.default.protocol}; name one"
    if len({experiment.subjects for experiment in experiments}) > 1:
        yield "from: its experiments search different subjects; a reading needs all its tools on each"
    yield from protocol_checks.one_search_each(settings, whole)


KEYS = (
    key("peak", "Peak of the PSNR", "The seed input's maximum or range, or the range of the data.", "text"),
    key("ranges", "Ranges", "Full ranges, or the calibration that narrowed them."),
    key("distortions", "Distortions", "Distortions of the paper, or of the authors' earlier tool (code).", "text"),
    key(
        "infeasible",
        "Infeasible best",
        "Personal best of a particle of PSO that was never feasible; ranked, where fitness ranks candidates that are "
        "not valid like all others, as Algorithm 1 is listed.",
        "text",
    ),
    key(
        "stop", "Early stop", "Patience in generations (random sampling has none), or pyswarm's own thresholds.", "text"
    ),
)
TOOLS = tuple(key(f"{searcher}_tool", f"Tool, {searcher}") for searcher in SEARCHERS)
"""For programs alone."""
NAMES = {"random": "random sampling", "pso": "PSO", "ga": "GA"}


def _rates() -> Iterator[Column]:
    """Rates of the searchers, as all other tables count them, and those of GA with survivors counted otherwise."""
    meaning = "Over all seed inputs together, mean over subjects."
    others = {("ga", "vr"): ("each", "counted in each generation"), ("ga", "dir"): ("once", "counted once")}
    for searcher, metric in product(SEARCHERS, METRICS):
        label = f"{RATES[metric].label} {NAMES[searcher]}"
        yield Column(f"{searcher}_{metric}", label, "fraction", meaning)
        if other := others.get((searcher, metric)):
            yield Column(f"ga_{metric}_{other[0]}", f"{label}, survivors {other[1]}", "fraction", meaning)


SHOWN = tuple(_rates())
DETAILS = ("cells",)
COLUMNS = (
    *KEYS,
    *TOOLS,
    Column("is_default", "Default", "flag", "Whether all other tables use this reading."),
    *with_interval(
        Column(
            "distance",
            "Distance",
            "number",
            "Mean of Cohen's h, |2 arcsin sqrt(ours) - 2 arcsin sqrt(published)|: for each searcher and metric over "
            "the subjects, then over searchers and metrics. Survivors count as the next column says. 0 is equal, .2 "
            "small, .8 large.",
        )
    ),
    Column(
        "survivors",
        "Survivors",
        "text",
        "Where survivors count again; of the ways to count, the one with the least distance.",
    ),
    Column(
        "nearest_share",
        "Nearest",
        "fraction",
        "Share of the resamples of seed inputs in which this reading is the nearest.",
    ),
    Column(
        "distance_here",
        "Distance as counted here",
        "number",
        "Distance where survivors are counted as in all other tables.",
    ),
    Column("subjects", "Subjects", "count", group="runs"),
    Column("inputs", "Inputs", "count", "Seed inputs of each subject.", "runs"),
    *SHOWN,
    *(published(column) for column in SHOWN if column.name.count("_") == 1),
    SCALE,
)
CELLS = (
    *KEYS,
    *SUBJECT,
    key("searcher", "Searcher"),
    key("metric", "Metric"),
    Column("value", "Value", "fraction", "Survivors counted as in the row of the reading."),
    published(Column("value", "Value", "fraction")),
    Column("h", "Cohen's h"),
    SCALE,
)


def make(settings: Settings, given: Given) -> Table:
    """A row for each reading, the nearest first.

    Raises:
        QuantriftError: nothing was searched, the tools of a subject started from different inputs, or no printed number
            is of our subjects.
    """
    sums = {searched: Sums(files) for searched, files in given.searched("searches").items()}
    subjects = list(dict.fromkeys(key[:3] for key in sums))
    _check_inputs(sums)
    terms = _terms(settings, given, subjects)
    found, alone = readings(
        list(dict.fromkeys((tool, protocol) for *_, tool, protocol in sums)),
        given.stated["tools"],
        given.stated["protocols"],
    )
    refuse((not found, "no tools of PSO, GA and random sampling read the settings alike; search some that do"))
    judged = [
        Judged(one, terms, {of: {key: sums[*key, *search] for key in subjects} for of, search in one.of.items()})
        for one in found
    ]
    nearest = np.argmin([one.drawn for one in judged], axis=0)
    rows, cells = [], []
    for place in sorted(range(len(judged)), key=lambda place: judged[place].distance()["distance"]):
        one = judged[place]
        names = {**one.reading.keys, **{f"{of}_tool": tool for of, (tool, _) in one.reading.of.items()}}
        own = {
            "survivors": one.counting,
            "distance_here": float(one.distances[HERE][0]),
            **{f"{of}_{metric}": one.mean(of, metric, HERE) for of, metric in product(SEARCHERS, METRICS)},
            "ga_vr_each": one.mean("ga", "vr", "each generation"),
            "ga_dir_once": one.mean("ga", "dir", "once"),
            "is_default": one.reading.of["pso"] == (settings.default.tool, settings.default.protocol),
            "nearest_share": float((nearest == place).mean()),
            "subjects": len(subjects),
            "inputs": max(len(of_subject.inputs) for of_subject in one.sums["pso"].values()),
        }
        rows.append(names | one.distance() | own | _printed(terms) | {"scale": given.scale})
        cells += [names | cell | {"scale": given.scale} for cell in one.cells()]
    return Table(
        frame(rows, COLUMNS),
        COLUMNS,
        _notes(rows, alone, given),
        details={"cells": Detail("", frame(cells, CELLS))},
        left_out=frozenset(column.name for column in TOOLS),
    )


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> Iterable[str]:
    """The nearest reading, and that of all other tables."""
    first = rows[0]
    return [
        f"Of {len(rows)} readings the nearest to the published rates has {_named(first)}, with survivors counted "
        f"{WHERE[first['survivors']]}: distance {words.cell(first, 'distance')}, and the nearest in "
        f"{words.cell(first, 'nearest_share')} of the resamples.",
        *(
            f"The reading of all other tables is at {words.cell(row, 'distance')}."
            for row in rows[1:]
            if row["is_default"] == "True"
        ),
    ]


def _check_inputs(sums: Mapping[Key, Sums]) -> None:
    """Readings are compared, and resampled together, on the same seed inputs."""
    first: dict[Key, list[tuple[int, int]]] = {}
    refuse(
        *(
            (
                first.setdefault(tuple(subject), own.inputs) != own.inputs,
                f"{'/'.join(subject)}: {tool} under {protocol} started from other inputs than the tools before it; "
                "search them again",
            )
            for (*subject, tool, protocol), own in sums.items()
        )
    )


def _terms(settings: Settings, given: Given, subjects: Sequence[Subject]) -> list[Term]:
    """Every printed number that is of our subjects, alone or as a mean."""
    files = {file.name: read_published(file, SUBJECT_KEYS) for file in given.published}
    terms = []
    for one in settings.printed:
        for (dataset, *network), numbers in files[one.file].items():
            own = [
                subject
                for subject in subjects
                if given.published_as.get(subject[0], subject[0]) == dataset
                and all(theirs in ("", ours) for theirs, ours in zip(network, subject[1:], strict=True))
            ]
            if own and one.column in numbers:
                terms.append(Term(one, (own[0][0], *network), own, numbers[one.column]))
    refuse((not terms, "the paper publishes no number of its subjects; search the datasets that it has"))
    return terms


def _printed(terms: Sequence[Term]) -> dict[str, float]:
    """Means of the printed numbers over subjects."""
    return {
        name: float(np.mean([term.value for term in own]))
        for name, own in grouped(terms, lambda term: f"published_{term.of.searcher}_{term.of.metric}").items()
    }


def _notes(rows: Sequence[Mapping[str, Any]], alone: Sequence[Search], given: Given) -> list[str]:
    first = rows[0]
    tools = ", ".join(f"{given.titles.get(tool, tool)} under {protocol}" for tool, protocol in alone)
    return [
        f"Scale: {given.scale}. Subjects: {first['subjects']}, each with {first['inputs']} seed inputs.",
        "Rates are shares over all seed inputs, means over subjects; the papers have medians over run seeds. The "
        "interval of a distance is a bootstrap over seed inputs, on scenes over spatial blocks, which all readings "
        "share; Nearest is the share of its resamples in which a reading has the least distance.",
        f"Nearest: {_named(first)}, survivors counted {WHERE[first['survivors']]}, distance {first['distance']:.2f}, "
        f"in {100 * first['nearest_share']:.0f} % of the resamples.",
        *(
            f"Default: number {number} of {len(rows)}, distance {row['distance']:.2f} with survivors counted "
            f"{WHERE[row['survivors']]}, {row['distance_here']:.2f} as all other tables count them."
            for number, row in enumerate(rows, 1)
            if row["is_default"]
        ),
        f"Left out, as no random sampling or no GA reads the settings alike: {tools}." if alone else "",
    ]


def _named(row: Mapping[str, Any]) -> str:
    return ", ".join(f"{column.label[0].lower()}{column.label[1:]} {row[column.name]}" for column in KEYS)
