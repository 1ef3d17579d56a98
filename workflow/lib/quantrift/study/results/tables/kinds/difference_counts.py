"""Disagreements before any search, beside those that a tool finds, as in DiverGet's Table 3."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
from pydantic import Field

from quantrift.core.page.number_format import distinct
from quantrift.core.page.shared_columns import DIFFERING, INPUTS, RATES, RUN_SEEDS, SEARCHED, searched
from quantrift.core.settings.references import ToolId
from quantrift.core.statistics.column import SCALE, Column, frame, published, with_interval
from quantrift.core.statistics.published import SUBJECT
from quantrift.core.statistics.run_seeds import read_intervals
from quantrift.study.results.tables import published_numbers
from quantrift.study.results.tables.answer_words import Cells, Words, by_subject, single
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Results, asks
from quantrift.study.results.targets.target import Published, ToolTarget


class Settings(ToolTarget, Published):
    """Disagreements on inputs before any search, beside those that one tool finds: counts and rates."""

    tools: Annotated[list[ToolId], Field(min_length=1, max_length=1)]
    """The one tool."""


mistakes = protocol_checks.one_search_each


needs = asks(["intervals"], metrics=Results.metrics)


FOUND = Column("n_dii", "DIIs", "count", "Difference-inducing inputs among the candidates.")
SHARES = tuple(
    with_interval(column, rests_on=f"{column.name}_rests_on")
    for column in (
        Column(
            "differing_share",
            "Differing share",
            "fraction",
            "Share of all seed inputs on which the models disagree before any search.",
        ),
        RATES["sr"],
        RATES["dir_real"],
    )
)
COLUMNS = (
    *SEARCHED,
    RUN_SEEDS,
    INPUTS,
    Column("all_inputs", "All inputs", "count", "Seed inputs of all run seeds."),
    DIFFERING,
    Column("n_generated", "Candidates", "count", "Candidates of all searches."),
    FOUND,
    Column("n_success", "Inputs with a DII", "count", "Seed inputs with at least one difference-inducing input."),
    *(column for share in SHARES for column in share[:-1]),
    *(share[-1] for share in SHARES),
    published(DIFFERING),
    published(FOUND),
    SCALE,
)


def make(settings: Settings, given: Given) -> Table:
    """A row for each subject, then those that only the paper has.

    An input that several run seeds share counts in each. The published file has ``original_n_dii`` and
    ``<tool>_n_dii``.
    """
    tool = settings.tools[0]
    numbers = published_numbers.read(given.published, SUBJECT)
    files = {key[:3]: file for key, file in given.one("metrics").items()}
    ours = [
        searched((*subject, tool))
        | _counts(file)
        | {"scale": given.scale}
        | _published(published_numbers.beside(numbers, subject, given.published_as), tool)
        for subject, file in files.items()
    ]
    alone = published_numbers.alone(numbers, files, given.published_as)
    data = frame([*ours, *(searched((*one, tool)) | _published(of, tool) for one, of in alone.items())], COLUMNS)
    return Table(
        data,
        COLUMNS,
        [
            f"Scale: {given.scale}. Run seeds: {distinct(data['run_seeds']) or 'none'}. Inputs of each run seed: "
            f"{distinct(data['inputs']) or 'none'}. Search: {given.titles.get(tool, tool)}.",
            "Shares of inputs have Wilson's 95 % intervals. The share of candidates has one by bootstrap over seed "
            "inputs, on scenes over spatial blocks, as the candidates of an input depend on each other, but none where "
            "fewer than three have a DII; they stand there in words. An empty cell was not run.",
            "Published numbers are the paper's counts, for its networks and data." if given.published else "",
        ],
    )


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> Iterable[str]:
    """The share of seed inputs with a disagreement before and after."""
    return [
        f"{words.where(own)}: the models disagree on {words.cells(own, 'differing_share')} of the seed inputs as they "
        f"are, and {words.name(own[0]['tool'])} finds a disagreement from {words.cells(own, 'sr')}."
        for own in by_subject(single(rows, "sr", "differing_share"))
    ]


def _counts(file: Path) -> dict[str, Any]:
    """Counts and rates of one subject."""
    table = pd.read_csv(file)
    intervals = read_intervals(file)
    sums = table.sum(numeric_only=True)
    differing = sums["inputs"] - sums["inputs_agreeing"]
    return {
        "run_seeds": len(table),
        "inputs": table["inputs"].iloc[0],
        "all_inputs": sums["inputs"],
        "differing_inputs": differing,
        **{name: sums[name] for name in ("n_generated", "n_dii", "n_success")},
        "differing_share": differing / sums["inputs"],
        "sr": sums["n_success"] / sums["inputs"],
        "dir_real": sums["n_dii"] / sums["n_generated"],
        **{
            name: intervals.loc[share.name, end]
            for share, *_ in SHARES
            for name, end in (
                (share.low, "pooled_low"),
                (share.high, "pooled_high"),
                (share.rests_on, "rests_on"),
            )
        },
    }


def _published(numbers: Mapping[str, float], tool: str) -> dict[str, float]:
    names = {"differing_inputs": "original_n_dii", "n_dii": f"{tool}_n_dii"}
    return {f"published_{ours}": numbers[theirs] for ours, theirs in names.items() if theirs in numbers}
