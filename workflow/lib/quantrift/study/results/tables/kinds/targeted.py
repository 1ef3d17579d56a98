"""Success of targeted searches, as DiffChaser's Section 4.5 counts it."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from quantrift.core.base.errors import refuse
from quantrift.core.page.number_format import distinct
from quantrift.core.page.shared_columns import DIFFERING, INPUTS, SEARCHED, estimate, searched, success_rate
from quantrift.core.statistics import disagreements
from quantrift.core.statistics.column import SCALE, Column, frame, published
from quantrift.core.statistics.intervals import pooled, unit_of
from quantrift.core.statistics.published import SUBJECT, read_published
from quantrift.study.results.tables import published_numbers
from quantrift.study.results.tables.answer_words import of_each
from quantrift.study.results.tables.finished_table import Detail, Table
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Results, asks
from quantrift.study.results.targets.target import PublishedOfTools, ToolTarget


class Settings(ToolTarget, PublishedOfTools):
    """Number of pairs of a seed input and another class on which a search succeeds, and its iterations."""


needs = asks(searches=Results.counts)
mistakes = protocol_checks.targeted


SEARCHES = Column("searches", "Searches", "count", "Searches: one for each seed input and each class but its own.")
SUCCESSES = Column("n_success", "Successes", "count", "Searches that reach their class.")
ITERATIONS = Column(
    "iterations_average", "Iterations", meaning="Populations bred after the initial one, mean over successes."
)
PUBLISHED = (SUCCESSES, SEARCHES, ITERATIONS)
"""Names of numbers in a published file, after ``<tool>_``."""
DETAILS = ("timing", "searches")
COLUMNS = (
    *SEARCHED,
    INPUTS,
    DIFFERING,
    SEARCHES,
    SUCCESSES,
    *success_rate("Searches that reach their class."),
    ITERATIONS,
    Column(
        "iterations_median",
        "Iterations median",
        meaning="Populations bred after the initial one, median over successes.",
    ),
    *map(published, PUBLISHED),
    SCALE,
)


def make(settings: Settings, given: Given) -> Table:
    """A row for each tool on a subject, and beside it a row for each search.

    Raises:
        QuantriftError: there is no search, or one without a class that it wants.
    """
    found = disagreements.load(given.searched("searches"))
    refuse(
        ((found["target"] < 0).any(), "has searches without a wanted class; name experiments of a targeted protocol")
    )
    found = found.assign(iterations=found["generations"] - 1)
    names = [column.name for column in SEARCHED]
    papers = read_published(given.published_file, SUBJECT)
    rows = []
    for keys, own in found.groupby(names, sort=False):
        *subject, tool = map(str, keys)
        numbers = published_numbers.beside(papers, tuple(subject), given.published_as)
        name = settings.published_as.get(tool, tool)
        rows.append(
            searched((*subject, tool))
            | _cells(own)
            | {f"published_{what.name}": numbers.get(f"{name}_{what.name}") for what in PUBLISHED}
            | {"scale": given.scale}
        )
    data = frame(rows, COLUMNS)
    single = found[[*names, "run_seed", "input", "true_label", "target", "success", "iterations"]]
    return Table(
        data,
        COLUMNS,
        [
            f"Scale: {given.scale}. Seed inputs: {distinct(data['inputs'])}, each with a search for every class but "
            "its own.",
            "A search succeeds where one model keeps the label of the seed input and the other gives the wanted class. "
            "The 95 % interval is a bootstrap over seed inputs, because the searches of one seed input depend on each "
            "other. Where fewer than three have a success, there is no interval, and words give their number. "
            "Iterations are counted over successes, as in Algorithm 1: 0 where the initial population has a success.",
        ],
        timing=found.groupby(names, sort=False)["seconds"].sum().reset_index(),
        details={"searches": Detail("", single)},
    )


answer = partial(of_each, column="sr", template="the wanted class from {} of the searches")
"""The share of targeted searches that reach their class, of each tool."""


def _cells(searches: pd.DataFrame) -> dict[str, Any]:
    success, clusters = searches["success"].to_numpy(np.int64), searches["cluster"].to_numpy()
    iterations = searches["iterations"][searches["success"]]
    inputs = searches.drop_duplicates(["run_seed", "input"])
    return {
        "inputs": len(inputs),
        "differing_inputs": int(inputs["seed_disagrees"].sum()),
        "searches": len(searches),
        "n_success": int(success.sum()),
        **estimate(
            "sr", pooled(clusters, success, np.ones_like(success), unit_of(searches["input"].to_numpy(), clusters))
        ),
        "iterations_average": float(iterations.mean()),
        "iterations_median": float(iterations.median()),
    }
