"""Columns of the rates of searches; ``quantrift.core.statistics.found_rates`` computes them.

They stand apart from the formulas, because jobs that compute rates would run again for every changed word here.
"""

from collections.abc import Mapping

from quantrift.core.statistics.column import Column, Columns, with_interval

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


def pooled(rate: str) -> Column:
    """The same over all seed inputs together."""
    own = RATES[rate]
    return Column(f"{rate}_pooled", f"{own.label} pooled", "fraction", f"{own.meaning} Over all seed inputs together.")


def success_rate(meaning: str = RATES["sr"].meaning) -> Columns:
    """A success rate with its interval, and on how few inputs with a success it rests."""
    return with_interval(Column("sr", "SR", "fraction", meaning), rests_on="sr_rests_on")
