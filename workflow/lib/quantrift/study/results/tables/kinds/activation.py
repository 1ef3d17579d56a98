"""Odds ratio of each distortion being on: difference-inducing inputs against other valid candidates."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from quantrift.core.page.number_format import number
from quantrift.core.page.shared_columns import RUN_SEEDS, SEARCHED, searched
from quantrift.core.settings.references import ToolId
from quantrift.core.statistics.column import SCALE, Column, frame, key, with_interval
from quantrift.core.statistics.found_rates import quotient
from quantrift.core.statistics.odds import DII, OTHER, Activation, odds, read
from quantrift.core.statistics.search_files import by_tool
from quantrift.study.results.tables.answer_words import LISTED, Cells, Words, by_subject
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import SearchTarget


class Settings(SearchTarget):
    """Odds ratio of each distortion being switched on in difference-inducing inputs against other valid ones."""

    kind: Literal["activation"]
    groups: dict[str, list[ToolId]] = Field(default_factory=dict)
    """Name of a group -> its tools, over which odds ratios are pooled (Mantel-Haenszel)."""


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """Candidates tables of all searches."""
    return {"records": results.records(settings)}


def mistakes(settings: Settings, whole: protocol_checks.Whole) -> Iterator[str]:
    """Searches must store candidates without a disagreement too; groups stand beside tools."""
    yield from protocol_checks.others_are_stored(settings, whole)
    yield from protocol_checks.groups_are_no_tools(settings.groups, whole)


COLUMNS = (
    *SEARCHED,
    key("distortion", "Distortion", "Distortion of the space."),
    RUN_SEEDS,
    Column("inputs", "Inputs", "count", "Seed inputs of all run seeds on which the models agree.", "runs"),
    Column("n_dii", "DIIs", "count", "Distinct valid candidates that are difference-inducing."),
    Column("n_other", "Other valid", "count", "Distinct valid candidates with the same label from both models."),
    Column("inputs_dii", "Inputs with a DII", "count", "Seed inputs with at least one difference-inducing input."),
    Column(
        "dii_on_share",
        "On in DIIs",
        "fraction",
        "Difference-inducing inputs that have the distortion switched on.",
    ),
    Column(
        "other_on_share", "On in others", "fraction", "Other valid candidates that have the distortion switched on."
    ),
    *with_interval(
        Column(
            "odds_ratio",
            "Odds ratio",
            meaning="Odds that the distortion is switched on in difference-inducing inputs, divided by its odds in "
            "other valid candidates.",
            no_effect=1,
        ),
        rests_on="odds_ratio_rests_on",
    ),
    Column("corrected", "Corrected", "flag", "Whether 1/2 was added to the counts because one of them is 0."),
    SCALE,
)


def make(settings: Settings, given: Given) -> Table:
    """Rows of each subject and tool, and of each group of tools: one for each distortion.

    Of a group, counts are sums over its tools and odds ratios are pooled; it has no row where a tool was not searched.

    Raises:
        QuantriftError: records are damaged, or tools of a group cannot be pooled.
    """
    subjects: dict[tuple[str, ...], dict[str, Activation]] = {}
    for about, blocks in by_tool(given.files["records"]).items():
        subjects.setdefault(about[:3], {})[about[3]] = read(blocks)
    rows: list[dict[str, Any]] = []
    for subject, tools in subjects.items():
        members = {name: [counted] for name, counted in tools.items()}
        for name, group in settings.groups.items():
            if all(tool in tools for tool in group):
                members[name] = [tools[tool] for tool in group]
        for name, counted in members.items():
            rows += [searched((*subject, name)) | row | {"scale": given.scale} for row in _rows(counted)]
    data = frame(rows, COLUMNS)
    notes = [
        f"Scale: {given.scale}. Run seeds: {_all(data['run_seeds'])}. Seed inputs on which the models agree: "
        f"{_all(data['inputs'])}. Distinct valid candidates are counted."
    ]
    if pooled := [
        f"{name}: {', '.join(given.titles.get(tool, tool) for tool in group)}"
        for name, group in settings.groups.items()
    ]:
        notes.append(f"Pooled over tools (Mantel-Haenszel, a stratum a tool): {'; '.join(pooled)}.")
    if data["corrected"].any():
        notes.append("Where a count is 0, 1/2 is added to all four (Haldane-Anscombe); such rows are marked.")
    return Table(data, COLUMNS, notes, names={name: name.replace("_", " ") for name in data["distortion"]})


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> list[str]:
    """Of each tool or group the distortion that favours disagreements most clearly: the greatest lower end above 1."""
    shown = [row for row in rows if row["tool"] in settings.groups] or rows
    found = []
    for own in by_subject(shown):
        for tool in dict.fromkeys(row["tool"] for row in own):
            clear = [row for row in own if row["tool"] == tool and (number(row["odds_ratio_low"]) or 0) > 1]
            where = f"{words.where(own)}, {words.name(tool)}"
            if not clear:
                found.append(f"{where}: no distortion clearly favours disagreements.")
                continue
            top = max(clear, key=lambda row: float(row["odds_ratio_low"]))
            found.append(
                f"{where}: {words.name(top['distortion'])} favours disagreements most, with odds "
                f"{words.cell(top, 'odds_ratio')} times those in other valid candidates."
            )
    return found[:LISTED]


def _rows(counted: Sequence[Activation]) -> list[dict[str, Any]]:
    """Rows of one tool or several, one for each distortion."""
    first = counted[0]
    total = np.sum([one.total for one in counted], axis=0)
    on, sums = np.sum([one.on.sum(axis=0) for one in counted], axis=0), total.sum(axis=0)
    found = odds(counted)
    common = {
        "run_seeds": len(np.unique(first.run_seeds)),
        "inputs": len(first.inputs),
        "n_dii": sums[DII],
        "n_other": sums[OTHER],
        "inputs_dii": int((total[:, DII] > 0).sum()),
        "odds_ratio_rests_on": found.rests_on,
    }
    shares = quotient(on, np.repeat(sums[:, None], on.shape[1], axis=1))
    of_each = {
        "distortion": first.distortions,
        "dii_on_share": shares[DII],
        "other_on_share": shares[OTHER],
        "odds_ratio": found.ratio,
        "odds_ratio_low": found.low,
        "odds_ratio_high": found.high,
        "corrected": found.corrected,
    }
    return [common | dict(zip(of_each, cells, strict=True)) for cells in zip(*of_each.values(), strict=True)]


def _all(values: pd.Series) -> str:
    """The different values of a column."""
    return ", ".join(f"{value:,}" for value in sorted(values.dropna().unique()))
