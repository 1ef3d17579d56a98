"""Columns and cells that many tables share: names of the subject and tool, rates of searches, shares with intervals.

``quantrift.core.statistics.found_rates`` computes the rates. Their columns stand apart from the formulas, because jobs
that compute rates would run again for every changed word here.
"""

from collections.abc import Mapping
from typing import Any, Literal

from quantrift.core.statistics.column import Column, Columns, key, with_interval
from quantrift.core.statistics.intervals import Share

SubjectKey = Literal["dataset", "model", "compression"]
SUBJECT = (key("dataset", "Dataset"), key("model", "Network"), key("compression", "Compression"))
SEARCHED = (*SUBJECT, key("tool", "Tool"))
RUN_SEEDS = Column("run_seeds", "Run seeds", "count", group="runs")
DIFFERING = Column(
    "differing_inputs", "Differing inputs", "count", "Seed inputs on which the models disagree before any search."
)
INPUTS = Column("inputs", "Inputs", "count", group="runs")
RATES: Mapping[str, Column] = {
    column.name: column
    for column in (
        Column(
            "dir",
            "DiR",
            "fraction",
            "Difference-inducing inputs among the candidates; survivors count in each generation, as published.",
        ),
        Column(
            "dir_unique",
            "DiR distinct",
            "fraction",
            "Distinct difference-inducing inputs among the distinct decoded inputs.",
        ),
        Column("dir_valid", "DiR valid", "fraction", "Difference-inducing inputs among the valid candidates."),
        Column("dir_real", "DiR evaluated", "fraction", "Difference-inducing evaluations among all evaluations."),
        Column("sr", "SR", "fraction", "Seed inputs for which at least one difference-inducing input was found."),
        Column("vr", "VR", "fraction", "Valid candidates among the generated ones."),
    )
}
"""Each is a median over run seeds where a table does not say otherwise."""


def searched(names: tuple[str, ...]) -> dict[str, str]:
    """Cells that name subject and tool of a row, by ``SEARCHED``."""
    return dict(zip((column.name for column in SEARCHED), names, strict=True))


def estimate(name: str, share: Share) -> dict[str, Any]:
    """A share as the cells of ``quantrift.core.statistics.column.with_interval``, with what it rests on."""
    return (
        {name: share.share}
        | {f"{name}_low": share.low, f"{name}_high": share.high}
        | {f"{name}_rests_on": share.rests_on}
    )


def pooled(rate: str) -> Column:
    """The same over all seed inputs together."""
    own = RATES[rate]
    return Column(f"{rate}_pooled", f"{own.label} pooled", "fraction", f"{own.meaning} Over all seed inputs together.")


def success_rate(meaning: str = RATES["sr"].meaning) -> Columns:
    """A success rate with its interval, and on how few inputs with a success it rests."""
    return with_interval(Column("sr", "SR", "fraction", meaning), rests_on="sr_rests_on")
