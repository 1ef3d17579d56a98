"""Ways to read what a paper leaves open, by their distance from its published rates of random sampling, PSO and GA."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from quantrift.core.base.errors import QuantriftError
from quantrift.core.page.shared_columns import RATES
from quantrift.core.settings.fields import Strict
from quantrift.core.settings.references import ProtocolId, ToolId
from quantrift.core.statistics.column import SCALE, Column, frame, key, published, with_interval
from quantrift.core.statistics.published import SUBJECT, published_dataset, read_published
from quantrift.core.statistics.reading_distance import Sums
from quantrift.study.results.tables.answer_words import Cells, Words
from quantrift.study.results.tables.finished_table import Detail, Table
from quantrift.study.results.tables.judged_readings import Judged, Subject, Term
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Key, Results
from quantrift.study.results.targets.target import SearchTarget
from quantrift.study.results.targets.tool_readings import SEARCHERS, Reading, Search, Searcher, readings

Metric = Literal["vr", "dir", "sr"]
METRICS: tuple[Metric, ...] = ("vr", "dir", "sr")
HERE = "DiR alone"
"""How all other tables count survivors."""


class Default(Strict):
    """The reading of all other tables."""

    tool: ToolId
    """Its tool with PSO."""
    protocol: ProtocolId


class Printed(Strict):
    """A rate that the paper prints, one number a subject; a key of the subject may be empty where it is a mean."""

    searcher: Searcher
    metric: Metric
    file: str
    """File of published numbers in workflow/published."""
    column: str


class Settings(SearchTarget):
    """A row for each search with PSO of the experiments, with the tools of random sampling and GA that read alike."""

    kind: Literal["readings"]
    default: Default
    printed: Annotated[list[Printed], Field(min_length=1)]

    @property
    def published_files(self) -> list[str]:
        """Those of the printed rates."""
        return list(dict.fromkeys(one.file for one in self.printed))


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """Counts of every single search."""
    return {"searches": results.counts(settings)}


def states(settings: Settings, results: Results) -> dict[str, dict[str, Any]]:
    """Settings of the tools and protocols, which say how each reads what is open."""
    searched = list(results.counts(settings))
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
    protocols = list(dict.fromkeys(protocol for _, protocol in searches))
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
    key("infeasible", "Infeasible best", "Personal best of a particle of PSO that was never feasible.", "text"),
    key(
        "stop", "Early stop", "Patience in generations (random sampling has none), or pyswarm's own thresholds.", "text"
    ),
)
TOOLS = tuple(key(f"{searcher}_tool", f"Tool, {searcher}") for searcher in SEARCHERS)
"""For programs alone."""
DISTANCE = Column(
    "distance",
    "Distance",
    "number",
    "Mean of Cohen's h, |2 arcsin sqrt(ours) - 2 arcsin sqrt(published)|: for each searcher and metric over the "
    "subjects, then over searchers and metrics. Survivors count as the next column says. 0 is equal, .2 small, .8 "
    "large.",
)
NAMES = {"random": "random sampling", "pso": "PSO", "ga": "GA"}


def _rates() -> Iterator[Column]:
    """Rates of the searchers, as all other tables count them, and those of GA with survivors counted otherwise."""
    for searcher in SEARCHERS:
        for metric in METRICS:
            label = f"{RATES[metric].label} {NAMES[searcher]}"
            meaning = "Over all seed inputs together, mean over subjects."
            yield Column(f"{searcher}_{metric}", label, "fraction", meaning)
            if searcher == "ga" and metric != "sr":
                other = {"vr": ("each", "counted in each generation"), "dir": ("once", "counted once")}[metric]
                yield Column(f"ga_{metric}_{other[0]}", f"{label}, survivors {other[1]}", "fraction", meaning)


SHOWN = tuple(_rates())
DETAILS = ("cells",)
COLUMNS = (
    *KEYS,
    *TOOLS,
    Column("is_default", "Default", "flag", "Whether all other tables use this reading."),
    *with_interval(DISTANCE),
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
    *(key(name, label) for name, label in zip(SUBJECT, ("Dataset", "Network", "Compression"), strict=True)),
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
    subjects: list[Subject] = list(
        dict.fromkeys((dataset, model, compression) for dataset, model, compression, *_ in sums)
    )
    _check_inputs(sums)
    terms = _terms(settings, given, subjects)
    searches = list(dict.fromkeys((tool, protocol) for *_, tool, protocol in sums))
    found, alone = readings(searches, given.stated["tools"], given.stated["protocols"])
    if not found:
        raise QuantriftError("no tools of PSO, GA and random sampling read the settings alike; search some that do")
    judged = [Judged(one, terms, _of_searchers(one, subjects, sums)) for one in found]
    nearest = np.argmin([one.drawn for one in judged], axis=0)
    default = (settings.default.tool, settings.default.protocol)
    rows, cells = [], []
    for place in sorted(range(len(judged)), key=lambda place: judged[place].distance()["distance"]):
        one = judged[place]
        names = dict(one.reading.keys) | {f"{of}_tool": tool for of, (tool, _) in one.reading.of.items()}
        row = names | one.distance() | _measured(one) | _printed(terms)
        row |= {"is_default": one.reading.of["pso"] == default, "nearest_share": float((nearest == place).mean())}
        inputs = {len(sums[*subject, *one.reading.of["pso"]].inputs) for subject in subjects}
        rows.append(row | {"subjects": len(subjects), "inputs": max(inputs), "scale": given.scale})
        cells += [names | cell | {"scale": given.scale} for cell in one.cells()]
    details = {"cells": Detail("", frame(cells, CELLS))}
    left_out = frozenset(column.name for column in TOOLS)
    return Table(frame(rows, COLUMNS), COLUMNS, _notes(rows, alone, given), details=details, left_out=left_out)


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> list[str]:
    """The nearest reading, and that of all other tables."""
    first = rows[0]
    nearest = (
        f"Of {len(rows)} readings the nearest to the published rates has {_named(first)}, with survivors counted "
        f"{_where(first)}: distance {words.cell(first, 'distance')}, and the nearest in "
        f"{words.cell(first, 'nearest_share')} of the resamples."
    )
    default = next((row for row in rows if row["is_default"] == "True"), None)
    if default is None or default is first:
        return [nearest]
    return [nearest, f"The reading of all other tables is at {words.cell(default, 'distance')}."]


def _of_searchers(
    reading: Reading, subjects: Sequence[Subject], sums: Mapping[Key, Sums]
) -> dict[Searcher, dict[Subject, Sums]]:
    return {of: {subject: sums[*subject, *search] for subject in subjects} for of, search in reading.of.items()}


def _check_inputs(sums: Mapping[Key, Sums]) -> None:
    """Readings are compared, and resampled together, on the same seed inputs."""
    first: dict[Key, list[tuple[int, int]]] = {}
    for (*subject, tool, protocol), own in sums.items():
        if first.setdefault(tuple(subject), own.inputs) != own.inputs:
            raise QuantriftError(
                f"{'/'.join(subject)}: {tool} under {protocol} started from other inputs than the tools before it; "
                "search them again"
            )


def _terms(settings: Settings, given: Given, subjects: Sequence[Subject]) -> list[Term]:
    """Every printed number that is of our subjects, alone or as a mean."""
    files = {file.name: read_published(file, SUBJECT) for file in given.published}
    terms = []
    for one in settings.printed:
        for named, numbers in files[one.file].items():
            dataset, model, compression = named
            own = [
                subject
                for subject in subjects
                if published_dataset(subject[0], given.datasets) == dataset
                and model in ("", subject[1])
                and compression in ("", subject[2])
            ]
            if own and one.column in numbers:
                terms.append(Term(one, (own[0][0], model, compression), own, numbers[one.column]))
    if not terms:
        raise QuantriftError("the paper publishes no number of its subjects; search the datasets that it has")
    return terms


def _measured(one: Judged) -> dict[str, Any]:
    """Rates, distances and the count of survivors of a row."""
    cells: dict[str, Any] = {"survivors": one.counting, "distance_here": float(one.distances[HERE][0])}
    for searcher in SEARCHERS:
        cells |= {f"{searcher}_{metric}": one.mean(searcher, metric, HERE) for metric in METRICS}
    cells["ga_vr_each"] = one.mean("ga", "vr", "each generation")
    cells["ga_dir_once"] = one.mean("ga", "dir", "once")
    return cells


def _printed(terms: Sequence[Term]) -> dict[str, float]:
    """Means of the printed numbers over subjects."""
    values: dict[str, list[float]] = {}
    for term in terms:
        values.setdefault(f"published_{term.of.searcher}_{term.of.metric}", []).append(term.value)
    return {name: float(np.mean(own)) for name, own in values.items()}


def _notes(rows: Sequence[Mapping[str, Any]], alone: Sequence[Search], given: Given) -> list[str]:
    place, default = next(((place, row) for place, row in enumerate(rows) if row["is_default"]), (-1, rows[0]))
    first = rows[0]
    lines = [
        f"Scale: {given.scale}. Subjects: {first['subjects']}, each with {first['inputs']} seed inputs.",
        "Rates are shares over all seed inputs, means over subjects; the papers have medians over run seeds. The "
        "interval of a distance is a bootstrap over seed inputs, on scenes over spatial blocks, which all readings "
        "share; Nearest is the share of its resamples in which a reading has the least distance.",
        f"Nearest: {_named(first)}, survivors counted {_where(first)}, distance {first['distance']:.2f}, in "
        f"{100 * first['nearest_share']:.0f} % of the resamples.",
    ]
    if place >= 0:
        lines.append(
            f"Default: number {place + 1} of {len(rows)}, distance {default['distance']:.2f} with survivors counted "
            f"{_where(default)}, {default['distance_here']:.2f} as all other tables count them."
        )
    if alone:
        tools = ", ".join(f"{given.titles.get(tool, tool)} under {protocol}" for tool, protocol in alone)
        lines.append(f"Left out, as no random sampling or no GA reads the settings alike: {tools}.")
    return lines


def _named(row: Mapping[str, Any]) -> str:
    return ", ".join(f"{column.label[0].lower()}{column.label[1:]} {row[column.name]}" for column in KEYS)


def _where(row: Mapping[str, Any]) -> str:
    return {"DiR alone": "again in DiR alone", "once": "once", "each generation": "in each generation"}[
        row["survivors"]
    ]
