"""Candidates and time up to the first difference-inducing input, as in DiverGet's Table 10."""

from collections.abc import Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd

from quantrift.core.page.number_format import distinct
from quantrift.core.page.shared_columns import INPUTS, RATES, RUN_SEEDS, SEARCHED, SubjectKey, searched
from quantrift.core.statistics.column import SCALE, Column, frame, published
from quantrift.core.statistics.first_found import CELLS, SECONDS, first_attack
from quantrift.core.statistics.published import SUBJECT
from quantrift.study.results.tables.answer_words import grouped, of_each
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.tables.published_numbers import beside_tools, read_of_tools
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.over_seconds import needs as needs
from quantrift.study.results.targets.results import Files
from quantrift.study.results.targets.target import PublishedOfTools, SecondsTarget


class Settings(SecondsTarget, PublishedOfTools):
    """Candidates and time that each tool needs for its first difference-inducing input."""

    rows: list[SubjectKey] | None = None
    """Names that stay apart in the means that follow the rows of single subjects."""


mistakes = protocol_checks.all_of(
    protocol_checks.of_rules(
        lambda one: not one.first_attack,
        "goes on after the first difference-inducing input, so its times are those of whole searches; take one with "
        "first_attack: true",
    ),
    protocol_checks.one_search_each,
    protocol_checks.of_rules(
        lambda one: one.goal != "differ",
        "ends searches with goal {.goal}, not with a disagreement; take goal: differ",
    ),
    protocol_checks.of_seconds,
)
"""Each input must be searched once in a run seed, up to its first disagreement."""


DETAILS = ("timing",)
COLUMNS = (
    *SEARCHED,
    Column("subjects", "Subjects", "count", "Number of subjects that the row is a mean over.", "runs"),
    RUN_SEEDS,
    INPUTS,
    Column("common_inputs", "Common inputs", "count", "Seed inputs for which all tools succeed, of all run seeds."),
    Column(
        "horizon",
        "Horizon",
        "count",
        "Largest number of candidates that the restricted mean counts for any search.",
    ),
    RATES["sr"],
    Column(
        "fdi",
        "FDI",
        meaning="Candidates up to the first difference-inducing input; a failed search is charged in full.",
    ),
    Column("fdi_success", "FDI*", meaning="FDI over the inputs where the tool succeeds."),
    Column("fdi_common", "FDI* common", meaning="FDI over the inputs where all tools succeed."),
    Column(
        "fdi_restricted", "FDI restricted", meaning="FDI in which no search counts more candidates than the horizon."
    ),
    SCALE,
)
"""Medians over run seeds, of ``quantrift.core.statistics.first_found``."""
_OURS = tuple(Column(name, name, "seconds") for name in SECONDS)
ISOLATED = {f"isolated_{name}": name for name in SECONDS}
"""Column of searches by themselves -> column of the charged ones."""
_ALONE = (Column("isolated_inputs", "isolated_inputs"), *(Column(name, name, "seconds") for name in ISOLATED))
TIMES = (*_OURS, *map(published, _OURS))
"""Columns of the timing file, the published ones included; those of searches by themselves stand before these."""


def make(settings: Settings, given: Given) -> Table:
    """A row for each subject and tool, then means over subjects; what was not run has rows of the paper alone.

    Raises:
        QuantriftError: a column of the published file is neither ``<name>_fdi_seconds`` nor
            ``<name>_fdi_success_seconds``.
    """
    together, alone = (_measured(given.files.get(name, {})) for name in ("searches", "isolated"))
    rows = [
        row
        for subject, (tools, horizon) in together.items()
        for row in _rows(subject, tools, horizon, alone.get(subject, ({}, 0))[0])
    ]
    times = (*_OURS, *(_ALONE if settings.isolated else ()), *TIMES[len(_OURS) :])
    if settings.rows is not None:
        rows += _means(rows, settings.rows, (*CELLS, *SECONDS, *(ISOLATED if settings.isolated else ())))
    rows = [row | {"scale": given.scale} for row in rows]
    papers = read_of_tools(given.published_file, SECONDS)
    whole = frame(beside_tools(rows, papers, SECONDS, settings.published_as, given.published_as), (*COLUMNS, *times))
    # Of other subjects the paper states only times.
    ran = whole.groupby(list(SUBJECT))["run_seeds"].transform("count") > 0
    data = whole.loc[ran, [column.name for column in COLUMNS]]
    return Table(
        data,
        COLUMNS,
        _notes(settings, data, given.scale),
        timing=whole[[column.name for column in (*SEARCHED, *times)]],
    )


answer = partial(
    of_each, column="fdi", template="first disagreement after {} candidates, failed searches charged in full,"
)
"""The candidates up to the first disagreement of each tool."""


def _measured(files: Files) -> dict[tuple[str, ...], tuple[dict[str, pd.DataFrame], int]]:
    """Subject -> outcomes of each tool by run seed, and their horizon."""
    return {
        subject: first_attack({key[3]: pd.concat(map(pd.read_parquet, files[key])) for key in keys})
        for subject, keys in grouped(files, lambda key: key[:3]).items()
    }


def _rows(
    subject: tuple[str, ...], measured: Mapping[str, pd.DataFrame], horizon: int, alone: Mapping[str, pd.DataFrame]
) -> list[dict[str, Any]]:
    """Each tool on one subject, with the seconds of searches by themselves where there are any."""
    return [
        searched((*subject, tool))
        | {"subjects": 1, "run_seeds": len(table), "inputs": int(table["inputs"].iloc[0])}
        | {"common_inputs": int(table["common_inputs"].sum()), "horizon": horizon}
        | {name: float(table[name].median()) for name in (*CELLS, *SECONDS)}
        | ({"isolated_inputs": int(alone[tool]["inputs"].sum())} if tool in alone else {})
        | {name: float(alone[tool][charged].median()) for name, charged in ISOLATED.items() if tool in alone}
        for tool, table in measured.items()
    ]


def _means(rows: Sequence[Mapping[str, Any]], keys: Sequence[str], names: Sequence[str]) -> list[dict[str, Any]]:
    """Means of the medians over all subjects that agree in ``keys``; none where a tool has not all of them."""
    return [
        searched((*subject, tool))
        | {"subjects": len(of_tool)}
        | {name: of_tool[0][name] for name in ("run_seeds", "inputs")}
        | {name: float(np.mean([row[name] for row in of_tool])) for name in names}
        for subject, alike in grouped(
            rows, lambda row: tuple(row[key] if key in keys else "" for key in SUBJECT)
        ).items()
        for tools in [grouped(alike, itemgetter("tool"))]
        for tool, of_tool in tools.items()
        if len(of_tool) == max(map(len, tools.values()))
    ]


def _notes(settings: Settings, data: pd.DataFrame, scale: str) -> list[str]:
    return [
        f"Scale: {scale}. Run seeds: {distinct(data['run_seeds']) or 'none'}. Inputs of each run seed: "
        f"{distinct(data['inputs']) or 'none'}. No p-value is given.",
        "FDI: candidates evaluated up to the end of the generation of the first difference-inducing input, mean over "
        "all inputs; a failed search counts with all of its candidates. FDI*: mean over the inputs where the tool "
        "succeeds, which differ from tool to tool. FDI* common: mean over the inputs where all tools of the subject "
        "succeed. Tools may fail after different numbers of candidates, so FDI restricted counts at most the horizon "
        "for any search. Cells are medians over run seeds; an empty one was not run or is not defined.",
        "Rows without a dataset, a network or a compression are arithmetic means of the medians over subjects."
        if settings.rows is not None
        else "",
    ]
