"""Rows of tables that compare tools or groups of tools: measured runs, tests, published numbers."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from quantrift.core.base.errors import QuantriftError, nearest
from quantrift.core.statistics.published import read_published
from quantrift.core.statistics.statistics import Comparison, holm
from quantrift.study.results.tables.measured_runs import Runs, Subject

BOUNDS = ("p_below", "a12_above")
"""Names of the bounds that a published file may state for the tests of a row."""
OF_A_TEST = ("p", "a12", "a12_least", "a12_most")
"""Names of what it may state, after the name of a rate, for a single test that the bounds leave out."""


def of_tests(rates: Sequence[str]) -> tuple[str, ...]:
    """Names of all that a published file may state for the tests of some rates."""
    return (*BOUNDS, *(f"{rate}_{what}" for rate in rates for what in OF_A_TEST))


@dataclass(frozen=True)
class Row:
    """One tool or group on one subject; ``runs`` is None where nothing was run."""

    subject: Subject
    """A key is ``""`` where the row is a mean over it."""
    name: str
    asks: Hashable
    """Key of the question that the row asks: tests of rows with equal keys count once."""
    runs: Runs | None
    comparisons: Mapping[str, Comparison] = field(default_factory=dict)
    """Rate -> comparison with another tool or group; empty where one of the two was not run."""
    holm: Mapping[str, float | None] = field(default_factory=dict)
    """Rate -> p adjusted over all tests of the table."""
    published: Mapping[str, float] = field(default_factory=dict)
    """Published numbers, by name, without the name of the tool or group."""
    against: str | None = None
    """The other group; None where the table has one baseline."""
    subjects: tuple[Subject, ...] = ()
    """Subjects that the row is a mean over."""


def published_of_tools(
    published: Path | None, names: Mapping[str, str], whats: Sequence[str]
) -> dict[Subject, dict[str, dict[str, float]]]:
    """Subject -> tool or group -> its published numbers, in the order of the file.

    Args:
        published: file of the paper's numbers, with columns ``<prefix>_<what>``.
        names: prefix -> tool or group.
        whats: names of numbers that a file may have of each.

    Raises:
        QuantriftError: a column belongs to no tool or group.
    """
    columns = {f"{prefix}_{what}": (name, what) for prefix, name in names.items() for what in whats}
    papers: dict[Subject, dict[str, dict[str, float]]] = {}
    rows = read_published(published, ("dataset", "model", "compression"))
    for (dataset, model, compression), numbers in rows.items():
        subject = papers.setdefault((dataset, model, compression), {})
        for column, value in numbers.items():
            if column not in columns:
                hint = nearest(column, columns)
                raise QuantriftError(f"{published}: column '{column}' belongs to no tool or group of the table; {hint}")
            name, what = columns[column]
            subject.setdefault(name, {})[what] = value
    return papers


def only_published(papers: Mapping[Subject, Mapping[str, Mapping[str, float]]], shown: set[Subject]) -> list[Row]:
    """Rows of subjects that only the paper has."""
    return [
        Row(subject, name, name, None, published=numbers)
        for subject, of_names in papers.items()
        if subject not in shown
        for name, numbers in of_names.items()
    ]


def family(rows: Sequence[Row]) -> dict[tuple[Hashable, str], Comparison]:
    """Every test of the table, once."""
    return {(row.asks, rate): test for row in rows for rate, test in row.comparisons.items() if test.p is not None}


def adjusted(rows: Sequence[Row]) -> list[Row]:
    """The rows, their p-values adjusted by Holm over the family."""
    tests = family(rows)
    values = dict(zip(tests, holm([test.p for test in tests.values()]), strict=True))
    return [replace(row, holm={rate: values.get((row.asks, rate)) for rate in row.comparisons}) for row in rows]
