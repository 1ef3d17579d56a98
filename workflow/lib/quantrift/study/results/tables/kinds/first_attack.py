"""Candidates and time up to the first difference-inducing input, as in DiverGet's Table 10."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from quantrift.core.page.shared_columns import INPUTS, RATES, RUN_SEEDS, SEARCHED, SUBJECT, SubjectKey, searched
from quantrift.core.statistics.column import SCALE, Column, frame, published
from quantrift.core.statistics.first_found import CELLS, SECONDS, first_attack
from quantrift.study.results.tables import published_tools
from quantrift.study.results.tables.answer_words import Cells, Words, of_each
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.over_seconds import needs
from quantrift.study.results.targets.results import Files
from quantrift.study.results.targets.target import PublishedOfTools, SecondsTarget

__all__ = ["COLUMNS", "DETAILS", "Settings", "answer", "make", "mistakes", "needs"]


class Settings(SecondsTarget, PublishedOfTools):
    """Candidates and time that each tool needs for its first difference-inducing input."""

    kind: Literal["first_attack"]
    rows: list[SubjectKey] | None = None
    """Names that stay apart in the means that follow the rows of single subjects."""


def mistakes(settings: Settings, whole: protocol_checks.Whole) -> Iterator[str]:
    """Each input must be searched once in a run seed, up to its first disagreement."""
    for name in settings.experiments:
        if not whole.protocols[whole.experiments[name].protocol].first_attack:
            yield (
                f"from: experiment '{name}' goes on after the first difference-inducing input, "
                "so its times are those of whole searches; take one with first_attack: true"
            )
    yield from protocol_checks.one_search_each(settings, whole)
    for where, protocol in protocol_checks.rules(settings, whole):
        if protocol.goal != "differ":
            yield f"{where} ends searches with goal {protocol.goal}, not with a disagreement; take goal: differ"
    yield from protocol_checks.of_seconds(settings, whole)


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
    together, alone = (_by_subject(given.files.get(name, {})) for name in ("searches", "isolated"))
    rows = [row for subject, files in together.items() for row in _rows(subject, files, alone.get(subject, {}))]
    times = (*_OURS, *(_ALONE if settings.isolated else ()), *TIMES[len(_OURS) :])
    means = (*CELLS, *SECONDS, *(ISOLATED if settings.isolated else ()))
    if settings.rows is not None:
        rows += _means(rows, settings.rows, means)
    rows = [row | {"scale": given.scale} for row in rows]
    papers = published_tools.read(given.published_file, SECONDS)
    rows = published_tools.beside(rows, papers, SECONDS, settings.published_as, given.datasets)
    whole = frame(rows, (*COLUMNS, *times))
    # Of other subjects the paper states only times.
    ran = whole.groupby([column.name for column in SUBJECT])["run_seeds"].transform("count") > 0
    data = whole.loc[ran, [column.name for column in COLUMNS]]
    timing = whole[[column.name for column in (*SEARCHED, *times)]]
    return Table(data, COLUMNS, _notes(settings, data, given.scale), timing=timing)


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> list[str]:
    """The candidates up to the first disagreement of each tool."""
    return of_each(words, rows, "fdi", "first disagreement after {} candidates, failed searches charged in full,")


def _by_subject(files: Files) -> dict[tuple[str, ...], dict[str, Sequence[Path]]]:
    """Subject -> tool -> its tables of searches."""
    found: dict[tuple[str, ...], dict[str, Sequence[Path]]] = {}
    for (*subject, tool, _), paths in files.items():
        found.setdefault(tuple(subject), {})[tool] = paths
    return found


def _measured(files: Mapping[str, Sequence[Path]]) -> tuple[dict[str, pd.DataFrame], int]:
    return first_attack({tool: pd.concat([pd.read_parquet(path) for path in own]) for tool, own in files.items()})


def _rows(
    subject: tuple[str, ...], files: Mapping[str, Sequence[Path]], isolated: Mapping[str, Sequence[Path]]
) -> list[dict[str, Any]]:
    """Each tool on one subject, with the seconds of searches by themselves where there are any."""
    measured, horizon = _measured(files)
    alone = _measured(isolated)[0] if isolated else {}
    return [
        searched((*subject, tool))
        | {"subjects": 1, "run_seeds": len(table), "inputs": int(table["inputs"].iloc[0])}
        | {"common_inputs": int(table["common_inputs"].sum()), "horizon": horizon}
        | {name: float(table[name].median()) for name in (*CELLS, *SECONDS)}
        | (_alone(alone[tool]) if tool in alone else {})
        for tool, table in measured.items()
    ]


def _alone(table: pd.DataFrame) -> dict[str, Any]:
    """Cells of a tool's searches by themselves."""
    seconds = {name: float(table[charged].median()) for name, charged in ISOLATED.items()}
    return {"isolated_inputs": int(table["inputs"].sum()), **seconds}


def _means(rows: Sequence[Mapping[str, Any]], keys: Sequence[str], names: Sequence[str]) -> list[dict[str, Any]]:
    """Means of the medians over all subjects that agree in ``keys``; none where a tool has not all of them."""
    alike: dict[tuple[str, ...], dict[str, list[Mapping[str, Any]]]] = {}
    for row in rows:
        subject = tuple(row[column.name] if column.name in keys else "" for column in SUBJECT)
        alike.setdefault(subject, {}).setdefault(row["tool"], []).append(row)
    return [
        searched((*subject, tool))
        | {"subjects": len(of_tool)}
        | {name: of_tool[0][name] for name in ("run_seeds", "inputs")}
        | {name: float(np.mean([row[name] for row in of_tool])) for name in names}
        for subject, tools in alike.items()
        for tool, of_tool in tools.items()
        if len(of_tool) == max(map(len, tools.values()))
    ]


def _notes(settings: Settings, data: pd.DataFrame, scale: str) -> list[str]:
    seeds, inputs = (", ".join(map(str, sorted(data[name].dropna().unique()))) for name in ("run_seeds", "inputs"))
    lines = [
        f"Scale: {scale}. Run seeds: {seeds or 'none'}. Inputs of each run seed: {inputs or 'none'}. No p-value is "
        "given.",
        "FDI: candidates evaluated up to the end of the generation of the first difference-inducing input, mean over "
        "all inputs; a failed search counts with all of its candidates. FDI*: mean over the inputs where the tool "
        "succeeds, which differ from tool to tool. FDI* common: mean over the inputs where all tools of the subject "
        "succeed. Tools may fail after different numbers of candidates, so FDI restricted counts at most the horizon "
        "for any search. Cells are medians over run seeds; an empty one was not run or is not defined.",
    ]
    if settings.rows is not None:
        lines.append(
            "Rows without a dataset, a network or a compression are arithmetic means of the medians over subjects."
        )
    return lines
