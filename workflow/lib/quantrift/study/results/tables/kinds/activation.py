"""Odds ratio of each distortion being on: difference-inducing inputs against other valid candidates."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from pydantic import Field

from quantrift.core.page.number_format import distinct, number, whole
from quantrift.core.page.shared_columns import RUN_SEEDS, SEARCHED, searched
from quantrift.core.settings.references import ToolId
from quantrift.core.statistics.column import SCALE, Column, frame, key, with_interval
from quantrift.core.statistics.found_rates import quotient
from quantrift.core.statistics.odds import DII, OTHER, Activation, odds, read
from quantrift.core.statistics.search_files import by_tool
from quantrift.study.results.tables.answer_words import LISTED, Cells, Words, by, by_subject, grouped
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Results, asks
from quantrift.study.results.targets.target import SearchTarget


class Settings(SearchTarget):
    """Odds ratio of each distortion being switched on in difference-inducing inputs against other valid ones."""

    groups: dict[str, list[ToolId]] = Field(default_factory=dict)
    """Name of a group -> its tools, over which odds ratios are pooled (Mantel-Haenszel)."""


needs = asks(records=Results.records)


mistakes = protocol_checks.all_of(protocol_checks.others_are_stored, protocol_checks.groups_are_no_tools)


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
    found = {about: read(blocks) for about, blocks in by_tool(given.files["records"]).items()}
    rows = [
        searched((*subject, name)) | row | {"scale": given.scale}
        for subject, keys in grouped(found, lambda about: about[:3]).items()
        for name, tools in {**{tool: [tool] for *_, tool in keys}, **settings.groups}.items()
        if all((*subject, tool) in found for tool in tools)
        for row in _rows([found[*subject, tool] for tool in tools])
    ]
    data = frame(rows, COLUMNS)
    run_seeds, inputs = (distinct(data[name], whole) for name in ("run_seeds", "inputs"))
    return Table(
        data,
        COLUMNS,
        [
            f"Scale: {given.scale}. Run seeds: {run_seeds}. Seed inputs on which the models agree: {inputs}. Distinct "
            "valid candidates are counted.",
            f"Pooled over tools (Mantel-Haenszel, a stratum a tool): {'; '.join(pooled)}."
            if (
                pooled := [
                    f"{name}: {', '.join(given.titles.get(tool, tool) for tool in group)}"
                    for name, group in settings.groups.items()
                ]
            )
            else "",
            "Where a count is 0, 1/2 is added to all four (Haldane-Anscombe); such rows are marked."
            if data["corrected"].any()
            else "",
        ],
        names={name: name.replace("_", " ") for name in data["distortion"]},
    )


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> Iterable[str]:
    """Of each tool or group the distortion that favours disagreements most clearly: the greatest lower end above 1."""
    found = []
    for own in by_subject([row for row in rows if row["tool"] in settings.groups] or rows):
        for tool, of_tool in by(own, "tool").items():
            top = max(of_tool, key=lambda row: number(row["odds_ratio_low"]) or 0)
            said = (
                f"{words.name(top['distortion'])} favours disagreements most, with odds "
                f"{words.cell(top, 'odds_ratio')} times those in other valid candidates"
            )
            clear = (number(top["odds_ratio_low"]) or 0) > 1
            found.append(
                f"{words.where(own)}, {words.name(tool)}: "
                f"{said if clear else 'no distortion clearly favours disagreements'}."
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
