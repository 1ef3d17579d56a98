"""Disagreements before any search, beside those that a tool finds, as in DiverGet's Table 3."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import Field

from quantrift.core.page.shared_columns import DIFFERING, INPUTS, RATES, RUN_SEEDS, SEARCHED, SUBJECT, searched
from quantrift.core.settings.references import ToolId
from quantrift.core.statistics.column import SCALE, Column, frame, published, with_interval
from quantrift.core.statistics.run_seeds import read_intervals
from quantrift.study.results.tables import published_rows
from quantrift.study.results.tables.answer_words import Cells, Words, by_subject, single
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import Published, SearchTarget


class Settings(SearchTarget, Published):
    """Disagreements on inputs before any search, beside those that one tool finds: counts and rates."""

    kind: Literal["difference_counts"]
    tools: Annotated[list[ToolId], Field(min_length=1, max_length=1)]
    """The one tool."""

    def shows(self, tool: str, protocol: str) -> bool:
        """See ``Searching``."""
        return tool in self.tools


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """Metrics of the tool on each subject."""
    return {"metrics": results.metrics(settings, beside=["intervals"])}


def mistakes(settings: Settings, whole: protocol_checks.Whole) -> Iterator[str]:
    """Each input must be searched once in a run seed."""
    return protocol_checks.one_search_each(settings, whole)


FOUND = Column("n_dii", "DIIs", "count", "Difference-inducing inputs among the candidates.")
COUNTS = (
    RUN_SEEDS,
    INPUTS,
    Column("all_inputs", "All inputs", "count", "Seed inputs of all run seeds."),
    DIFFERING,
    Column("n_generated", "Candidates", "count", "Candidates of all searches."),
    FOUND,
    Column("n_success", "Inputs with a DII", "count", "Seed inputs with at least one difference-inducing input."),
)
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
    *COUNTS,
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
    keys = tuple(column.name for column in SUBJECT)
    numbers = published_rows.read(given.published, keys)
    rows: list[dict[str, Any]] = []
    subjects = []
    for (*subject, _, _), file in given.one("metrics").items():
        subjects.append(tuple(subject))
        beside = published_rows.beside(numbers, subjects[-1], given.datasets)
        rows.append(searched((*subject, tool)) | _counts(file) | {"scale": given.scale} | _published(beside, tool))
    for alone, theirs in published_rows.alone(numbers, subjects, given.datasets).items():
        rows.append(searched((*alone, tool)) | _published(theirs, tool))
    data = frame(rows, COLUMNS)
    seeds, inputs = (", ".join(map(str, sorted(data[name].dropna().unique()))) for name in ("run_seeds", "inputs"))
    notes = [
        f"Scale: {given.scale}. Run seeds: {seeds or 'none'}. Inputs of each run seed: {inputs or 'none'}. "
        f"Search: {given.titles.get(tool, tool)}.",
        "Shares of inputs have Wilson's 95 % intervals. The share of candidates has one by bootstrap over seed inputs, "
        "on scenes over spatial blocks, as the candidates of an input depend on each other, but none where fewer than "
        "three have a DII; they stand there in words. An empty cell was not run.",
    ]
    if given.published:
        notes.append("Published numbers are the paper's counts, for its networks and data.")
    return Table(data, COLUMNS, notes)


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> list[str]:
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
    inputs, generated, found = (int(table[name].sum()) for name in ("inputs", "n_generated", "n_dii"))
    agreeing, success = int(table["inputs_agreeing"].sum()), int(table["n_success"].sum())
    row: dict[str, Any] = {"run_seeds": len(table), "inputs": table["inputs"].iloc[0], "all_inputs": inputs}
    row |= {"differing_inputs": inputs - agreeing, "n_generated": generated, "n_dii": found, "n_success": success}
    row |= {"differing_share": (inputs - agreeing) / inputs, "sr": success / inputs, "dir_real": found / generated}
    for share, *_ in SHARES:
        row |= {f"{share.name}_{end}": intervals.loc[share.name, f"pooled_{end}"] for end in ("low", "high")}
        row[share.rests_on] = intervals.loc[share.name, "rests_on"]
    return row


def _published(numbers: Mapping[str, float], tool: str) -> dict[str, float]:
    names = {"differing_inputs": "original_n_dii", "n_dii": f"{tool}_n_dii"}
    return {f"published_{ours}": numbers[theirs] for ours, theirs in names.items() if theirs in numbers}
