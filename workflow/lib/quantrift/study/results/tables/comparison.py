"""Tables that compare tools or groups of tools: rows with tests and published numbers, columns, notes; times apart."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from quantrift.core.base.errors import check_name
from quantrift.core.page.number_format import distinct, shown
from quantrift.core.page.shared_columns import INPUTS, RATES, RUN_SEEDS, SEARCHED, pooled, searched
from quantrift.core.statistics.column import SCALE, Column, Columns, Kind, frame, published, with_interval
from quantrift.core.statistics.published import SUBJECT, read_published
from quantrift.core.statistics.statistics import columns as statistics
from quantrift.core.statistics.statistics import holm
from quantrift.study.results.tables.finished_table import Table, family_words
from quantrift.study.results.tables.measured_runs import INTERVALS, Groups, Runs, Subject, against
from quantrift.study.results.tables.published_numbers import OfTools, alone
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Results, asks
from quantrift.study.results.targets.target import TestedTarget

OF_A_TEST: Mapping[str, tuple[str, Kind]] = {
    "p": ("p", "p"),
    "a12": ("A12", "effect"),
    "a12_least": ("A12 at least", "effect"),
    "a12_most": ("A12 at most", "effect"),
}
"""What a paper may state, after the name of a rate, for a single test: label and kind."""
_MEDIANS = [with_interval(RATES[rate]) for rate in INTERVALS]
_MEASURED = (
    *(median for median, *_ in _MEDIANS),
    Column("queries", "Queries", meaning="Candidates put through both models, mean over seed inputs."),
    *(end for _, *ends in _MEDIANS for end in ends),
    *(column for rate in INTERVALS for column in with_interval(pooled(rate), rests_on=f"{rate}_rests_on")),
)
"""Medians over run seeds, of a group the means of its tools' medians; then the shares over all seed inputs."""
_BOUND = "Bound that the paper states for all tests of the table except those that have a value of their own."
_BOUNDS = (
    Column("published_p_below", "p below", "p", _BOUND, "published"),
    Column("published_a12_above", "A12 above", "effect", _BOUND, "published"),
)
CELLS = (
    "Rates are medians over run seeds, as in the papers, with their 95 % intervals (order statistics; none "
    "below 6 run seeds). Pooled rates are shares over all seed inputs, with 95 % intervals of their own (SR: Wilson; "
    "others: bootstrap over seed inputs, on scenes over spatial blocks). Where fewer than three inputs or blocks have "
    "an event, there is no bootstrap, and words give their number. An empty cell was not run or is not defined."
)
NO_TEST = "No p-value is given: fewer than 6 run seeds, or run seeds that share inputs."


@dataclass(frozen=True)
class Row:
    """One tool or group on one subject; ``runs`` is None where nothing was run."""

    subject: Subject
    """A key is ``""`` where the row is a mean over it."""
    name: str
    asks: Hashable
    """Key of the question that the row asks: tests of rows with equal keys count once."""
    runs: Runs | None
    comparisons: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Rate -> comparison with another tool or group; empty where one of the two was not run."""
    published: Mapping[str, float] = field(default_factory=dict)
    """Published numbers, by name, without the name of the tool or group."""
    against: str | None = None
    """The other group; None where nothing is compared."""
    subjects: tuple[Subject, ...] = ()
    """Subjects that the row is a mean over."""


needs = asks(("intervals", "timing"), metrics=Results.metrics)


def of_tests(rates: Sequence[str]) -> tuple[str, ...]:
    """Names of all that a published file may state for the tests of some rates: bounds of all, and single ones."""
    return ("p_below", "a12_above", *(f"{rate}_{what}" for rate in rates for what in OF_A_TEST))


def published_of_tools(
    published: Path | None, names: Mapping[str, str], whats: Sequence[str]
) -> dict[tuple[str, ...], dict[str, dict[str, float]]]:
    """Subject -> tool or group -> its published numbers, in the order of the file.

    Args:
        published: file of the paper's numbers, with columns ``<prefix>_<what>``.
        names: prefix -> tool or group.
        whats: names of numbers that a file may have of each.

    Raises:
        QuantriftError: a column belongs to no tool or group.
    """
    columns = {f"{prefix}_{what}": (name, what) for prefix, name in names.items() for what in whats}
    papers: dict[tuple[str, ...], dict[str, dict[str, float]]] = {}
    for subject, numbers in read_published(published, SUBJECT).items():
        for column, value in numbers.items():
            check_name(f"{published}: column '{column}' belongs to no tool or group of the table", column, columns)
            name, what = columns[column]
            papers.setdefault(subject, {}).setdefault(name, {})[what] = value
    return papers


def pair_rows(
    subject: Subject,
    members: tuple[Subject, ...],
    groups: Groups,
    papers: Mapping[str, Mapping[str, float]],
    tested: Sequence[str],
    baseline: str | None = None,
    asked: Mapping[str, tuple[str, ...]] | None = None,
) -> Iterator[Row]:
    """A row for each pair of groups that were run, and one for each group that is first in no pair.

    Args:
        subject: keys of the rows.
        members: subjects that they are means over.
        groups: results of each.
        papers: published numbers of each.
        tested: rates that are tested.
        baseline: second group of all pairs; where it is None, a group is paired with each later one.
        asked: groups by what their tests ask about, where that is not their name.
    """
    names, stated = list(groups), of_tests(tuple(RATES))
    for place, name in enumerate(names):
        first, own = groups[name], papers.get(name, {})
        others = names[place + 1 :] if baseline is None else [baseline] if name != baseline else []
        rivals = [(other, second) for other in others if (second := groups[other]) is not None]
        if first is None or not rivals:
            yield Row(subject, name, name, first, published=own, subjects=members)
            continue
        for other, second in rivals:
            # The mean over all subjects sums them up; it is no further question of the table.
            tests = {rate: against(first, second, rate) for rate in tested if any(subject)}
            # A mean over one subject asks the same question as that subject.
            asks = (members, (asked or {}).get(name, (name,)), other)
            yield Row(subject, name, asks, first, tests, published=own, against=other, subjects=members)
            own = {what: value for what, value in own.items() if what not in stated}


def columns(labels: Columns, tested: Sequence[str], in_papers: Sequence[str]) -> Columns:
    """Keys, rates with intervals, statistics, published numbers.

    Args:
        labels: columns after the names of subject and tool.
        tested: rates with statistics; those of the first have no prefix.
        in_papers: rates with published numbers.
    """
    return (
        *(*SEARCHED, *labels, RUN_SEEDS, INPUTS, *_MEASURED),
        *(column for rate in tested for column in statistics(RATES[rate].label, prefix(rate, tested))),
        *(*(published(RATES[rate]) for rate in in_papers), *_BOUNDS),
        *(
            Column(
                f"published_{rate}_{name}",
                f"{RATES[rate].label} {words}",
                kind,
                f"What the paper states for the test of {RATES[rate].label} alone.",
                "published",
            )
            for rate in in_papers
            for name, (words, kind) in OF_A_TEST.items()
        ),
        SCALE,
    )


def prefix(rate: str, tested: Sequence[str]) -> str:
    """Prefix of the names of a rate's statistics."""
    return "" if rate == tested[0] else f"{rate}_"


def table(
    rows: Sequence[Row],
    papers: OfTools,
    declared: Columns,
    tested: Sequence[str],
    given: Given,
    *,
    settings: TestedTarget,
    notes: Sequence[str],
    timing: pd.DataFrame,
    **more: Any,
) -> Table:
    """The rows, p-values of planned tests adjusted by Holm, then those of subjects that only the paper has.

    Columns of single tests are left out where the paper has no value.

    Args:
        rows: p-values still unadjusted.
        papers: published numbers of each subject.
        declared: of ``columns``.
        tested: rates with statistics.
        given: the inputs of the table.
        settings: say which tests are planned.
        notes: above the cells.
        timing: of ``timing``.
        more: other parts of the table.
    """
    tests = family(rows, settings.plans)
    adjusted = dict(zip(tests, holm([test["p"] for test in tests.values()]), strict=True))
    found = [_cells(row, tested, given.scale, adjusted) for row in rows]
    found += [
        searched((*subject, name)) | {f"published_{what}": value for what, value in numbers.items()}
        for subject, names in alone(papers, [row.subject for row in rows], given.published_as, "all").items()
        for name, numbers in names.items()
    ]
    stated = {name for row in found for name in row}
    single = {f"published_{rate}_{what}" for rate in RATES for what in OF_A_TEST}
    used = tuple(column for column in declared if column.name not in single or column.name in stated)
    return Table(frame(found, used), used, notes, timing=timing, **more)


def _cells(
    row: Row, tested: Sequence[str], scale: str, adjusted: Mapping[tuple[Hashable, str], float | None]
) -> dict[str, Any]:
    """The cells of a row, by the names of its columns; all of ours are empty where nothing was run."""
    found: dict[str, Any] = {
        **searched((*row.subject, row.name)),
        "against": row.against,
        "subjects": len(row.subjects) or None,
        **{f"published_{what}": value for what, value in row.published.items()},
    }
    if row.runs:
        found |= {"run_seeds": len(row.runs.series), "inputs": row.runs.inputs, "scale": scale, **row.runs.cells} | {
            f"{rate}_rests_on": words for rate, words in row.runs.rests_on.items()
        }
    for rate, comparison in row.comparisons.items():
        facts = {**comparison, "p_holm": adjusted.get((row.asks, rate))}
        found |= {f"{prefix(rate, tested)}{name}": value for name, value in facts.items()}
    return found


def timing(measured: Mapping[Any, Runs], keys: Sequence[str]) -> pd.DataFrame:
    """Seconds of all run seeds and the median rate of candidates, of each single tool; ``keys`` name what it is."""
    return pd.DataFrame(
        [
            (*key, runs.timing["seconds"].sum(), runs.timing["candidates_per_second"].median())
            for key, runs in measured.items()
            if runs.timing is not None
        ],
        columns=[*keys, "seconds", "candidates_per_second"],
    )


def family(
    rows: Sequence[Row], plans: Callable[[str, str | None, str], bool] = lambda *_: True
) -> dict[tuple[Hashable, str], Mapping[str, Any]]:
    """The tests of the table that are planned, each once; ``plans`` is asked for tool, other tool and rate."""
    return {
        (row.asks, rate): test
        for row in rows
        for rate, test in row.comparisons.items()
        if test["p"] is not None and plans(row.name, row.against, rate)
    }


def size(rows: Sequence[Row], scale: str) -> str:
    """Note on scale, run seeds and inputs."""
    runs = [row.runs for row in rows if row.runs]
    seeds, inputs = (distinct(len(one.series) for one in runs), distinct(one.inputs for one in runs))
    return f"Scale: {scale}. Run seeds: {seeds or 'none'}. Inputs of each run seed: {inputs or 'none'}."


def tested_by(rows: Sequence[Row], settings: TestedTarget, whose: str, favours: str, given: Given) -> list[str]:
    """Notes on the tests and on published numbers.

    ``whose``: the two sides compared. ``favours``: the side that positive effects favour.
    """
    tests, file = family(rows, settings.plans), given.published_file
    left = len(family(rows)) - len(tests)
    floor = min(1.0, len(tests) * min((test["p_min"] or 1.0 for test in tests.values()), default=1.0))
    return [
        (
            f"{whose}, paired over run seeds: two-sided signed-rank test (Pratt), p = 1 where all differences are "
            f"zero; Holm over {family_words(len(tests), left)} "
            f"The lowest adjusted p that these can reach is {shown(floor, 'p')}. An "
            "A12 above 0.5, or a rank-biserial correlation or a shift (Hodges-Lehmann, percentage points, 95 %) above "
            f"0, favours {favours}."
        )
        if tests
        else NO_TEST,
        f"Published numbers: {file.name}, for the networks and data of the paper." if file else "",
    ]
