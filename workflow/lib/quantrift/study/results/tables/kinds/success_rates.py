"""Share of seed inputs on which each tool reaches its goal, as in DiffChaser's Tables 1 and 2."""

from collections.abc import Mapping
from functools import partial
from itertools import combinations
from typing import Annotated, Any

import pandas as pd
from pydantic import Field

from quantrift.core.base.errors import refuse
from quantrift.core.page.number_format import distinct
from quantrift.core.page.shared_columns import DIFFERING, INPUTS, SEARCHED, estimate, success_rate
from quantrift.core.statistics import disagreements
from quantrift.core.statistics.column import SCALE, Column, frame, key, published
from quantrift.core.statistics.disagreement_tests import mcnemar
from quantrift.core.statistics.intervals import of_inputs, unit_of
from quantrift.core.statistics.published import SUBJECT
from quantrift.core.statistics.statistics import COLUMNS as STATISTICS
from quantrift.core.statistics.statistics import columns
from quantrift.study.results.tables import query_pairs
from quantrift.study.results.tables.answer_words import of_each
from quantrift.study.results.tables.finished_table import Table, adjust, family_words
from quantrift.study.results.tables.published_numbers import Rows, beside_tools, read_of_tools
from quantrift.study.results.tables.query_pairs import charged
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.over_seconds import needs as needs
from quantrift.study.results.targets.target import PublishedOfTools, SecondsTarget, TestedTarget, ToolTarget


class Settings(ToolTarget, PublishedOfTools, SecondsTarget, TestedTarget):
    """Number of seed inputs on which each tool reaches its goal; every pair of tools is tested."""

    timeout: Annotated[float, Field(gt=0)] | None = None
    """Seconds that the paper gave a search. Searches here end after evaluations, so success within this time is a
    column of the timing file."""


mistakes = protocol_checks.all_of(protocol_checks.untargeted, protocol_checks.of_seconds, protocol_checks.planned)


SR = success_rate("Seed inputs for which the goal of the protocol was reached.")
DETAILS = ("timing",)
COLUMNS = (
    *SEARCHED,
    key("against", "Against", "Tool that the row's tool is tested against, on the same inputs."),
    INPUTS,
    DIFFERING,
    Column("n_success", "Successes", "count", "Seed inputs for which the goal was reached."),
    Column("n_alone", "Alone", "count", "Seed inputs on which the tool succeeds and the other does not."),
    Column(
        "n_other_alone", "Other alone", "count", "Seed inputs on which the other tool succeeds and this one does not."
    ),
    *SR,
    Column(
        "to_success_median",
        "To success",
        meaning="Candidates evaluated until the goal was reached, median over successes.",
    ),
    Column(
        "spent_average",
        "Spent",
        meaning="Candidates evaluated, mean over seed inputs; a failed search is charged in full.",
    ),
    *columns("SR", of=tuple(column for column in STATISTICS if column.name in ("p", "p_holm"))),
    published(SR[0]),
    SCALE,
)
PUBLISHED = ("sr", "seconds")
"""Names of a tool's numbers in a published file."""
TIMES = ("seconds", "seconds_success_average", "sr_within", "published_seconds")
"""Columns of the timing file; those of searches by themselves stand before the published one."""


def make(settings: Settings, given: Given) -> Table:
    """A row for each pair of tools on a subject, or for its one tool; empty rows of tools not run.

    Raises:
        QuantriftError: there is no search, tools of a subject started from different inputs, or the published file
            has another column than ``<tool>_sr`` (a fraction) and ``<tool>_seconds``.
    """
    found = disagreements.load(given.searched("searches"))
    rows: Rows = []
    timing: Rows = []
    alone = query_pairs.isolated(disagreements.load(given.files.get("isolated", {})), settings.timeout)
    for subject, of_subject in found.groupby(list(SUBJECT), sort=False):
        keys = dict(zip(SUBJECT, subject, strict=True)) | {"scale": given.scale}
        own = {str(tool): one for tool, one in of_subject.groupby("tool", sort=False)}
        rows += [keys | row for row in _rows(own, "/".join(map(str, subject)))]
        timing += [
            keys | {"tool": tool, **charged(one, settings.timeout), **alone.get((*map(str, subject), tool), {})}
            for tool, one in own.items()
        ]
    adjust(rows, "p", planned=lambda row: settings.plans(row["tool"], row.get("against")))
    papers, filed = read_of_tools(given.published_file, PUBLISHED), settings.published_as
    data = frame(beside_tools(rows, papers, ["sr"], filed, given.published_as), COLUMNS)
    times = [*TIMES[:-1], *(query_pairs.ISOLATED if settings.isolated else ()), TIMES[-1]]
    return Table(
        data,
        COLUMNS,
        _notes(data, int(found["spent"].max()), given.scale),
        timing=pd.DataFrame(
            beside_tools(timing, papers, ["seconds"], filed, given.published_as), columns=[*SUBJECT, "tool", *times]
        ),
    )


answer = partial(of_each, column="sr", template="disagreements from {} of the seed inputs")
"""The share of seed inputs of each tool."""


def _rows(tools: Mapping[str, pd.DataFrame], subject: str) -> Rows:
    """The tools of one subject: as the first of each pair, and the last by itself."""
    indexed = {tool: one.set_index(["run_seed", "input", "target"]).sort_index() for tool, one in tools.items()}
    cells = {tool: _cells(one) for tool, one in indexed.items()}
    rows: Rows = []
    for tool, other in combinations(tools, 2):
        first, second = indexed[tool], indexed[other]
        refuse(
            (
                not first.index.equals(second.index),
                f"{subject}: {tool} and {other} started from different inputs; search them under one protocol",
            )
        )
        result = mcnemar(first["success"].to_numpy(bool), second["success"].to_numpy(bool))
        rows.append(
            {"tool": tool, **cells[tool]}
            | {"against": other, "n_alone": result.first, "n_other_alone": result.second, "p": result.p}
        )
    *_, last = tools
    return [*rows, {"tool": last, **cells[last]}]


def _cells(searches: pd.DataFrame) -> dict[str, Any]:
    inputs, clusters = searches.index.get_level_values("input").to_numpy(), searches["cluster"].to_numpy()
    return {
        "inputs": len(searches),
        "differing_inputs": int(searches["seed_disagrees"].sum()),
        "n_success": int(searches["success"].sum()),
        **estimate("sr", of_inputs(clusters, searches["success"].to_numpy(), unit_of(inputs, clusters))),
        "to_success_median": float(searches["fdi"].median()),
        "spent_average": float(searches["fdi"].fillna(searches["spent"]).mean()),
    }


def _notes(data: pd.DataFrame, most: int, scale: str) -> list[str]:
    return [
        f"Scale: {scale}. Seed inputs of each tool: {distinct(data['inputs']) or 'none'}. A search ends with the "
        f"generation in which it reaches its goal, at the latest after {most:,} candidates.",
        "SR: share of the seed inputs for which the goal is reached, with its 95 % interval (Wilson). Inputs on which "
        "the models differ before any search cannot succeed and count as failures. Cells that were not run are empty.",
        (
            "Pairs of tools on the same inputs: McNemar's exact test, which looks at inputs where exactly one of the "
            f"two succeeds; Holm over {family_words(tests, int(data['p'].notna().sum()) - tests)}"
        )
        if (tests := int(data["p_holm"].notna().sum()))
        else "",
    ]
