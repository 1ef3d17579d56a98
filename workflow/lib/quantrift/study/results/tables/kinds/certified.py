"""Seed inputs certified by exhaustive enumeration, and how much of the truth each search tool finds."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from quantrift.core.base.errors import refuse
from quantrift.core.base.table_columns import Arrays
from quantrift.core.page.number_format import distinct, whole
from quantrift.core.page.shared_columns import DIFFERING, INPUTS, SUBJECT, estimate, success_rate
from quantrift.core.statistics.column import SCALE, Column, frame, key, with_interval
from quantrift.core.statistics.intervals import unit_of
from quantrift.core.statistics.published import SUBJECT as SUBJECT_KEYS
from quantrift.core.statistics.recall import Disagreements, certified, read_enumerated, recall
from quantrift.study.results.tables.answer_words import Cells, Words, by, of_each
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.targets import enumerations, protocol_checks
from quantrift.study.results.targets.enumerations import needs as needs
from quantrift.study.results.targets.enumerations import states as states
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.protocol_checks import Whole
from quantrift.study.results.targets.target import ToolTarget


class Settings(ToolTarget):
    """Share of seed inputs certified in finite neighbourhoods, and recall of search tools at equal queries."""

    queries: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)]
    """Numbers of first queries of each search within which a tool must have found a disagreement."""


def mistakes(settings: Settings, whole: Whole) -> Iterator[str]:
    """Those of all targets that show enumerations; no search may have fewer queries than the table counts."""
    yield from enumerations.mistakes(settings, whole)
    for where, protocol in protocol_checks.rules(settings, whole):
        if (most := max(settings.queries)) > (protocol.evaluations or 0):
            yield f"queries: {most}, but {where.removeprefix('from: ')} has {protocol.evaluations or 'no'} evaluations"


COLUMNS = (
    *SUBJECT,
    key("neighbourhood", "Neighbourhood", "Changes whose combinations are all enumerated.", "text"),
    key("tool", "Tool"),
    key("queries", "Queries", "First candidates of each search that count.", "count"),
    Column("members", "Members", "count", "Candidates that the neighbourhood of a seed input has."),
    INPUTS,
    DIFFERING,
    *with_interval(
        Column(
            "certified",
            "Certified",
            "fraction",
            "Seed inputs of which both networks give each member of the neighbourhood the same label, as all were run.",
        ),
        rests_on="certified_rests_on",
    ),
    *success_rate("Seed inputs for which the tool found a disagreement within so many queries."),
    Column("n_truth", "With a disagreement", "count", "Seed inputs with a disagreement in truth, by enumeration."),
    Column("n_found", "Of these found", "count", "Seed inputs for which the tool found one."),
    *with_interval(
        Column("recall", "Recall", "fraction", "Share found of the seed inputs with a disagreement in truth."),
        rests_on="recall_rests_on",
    ),
    Column("dii_truth", "DIIs in truth", "count", "Distinct difference-inducing inputs of all neighbourhoods."),
    Column("dii_found", "DIIs found", "count", "Those of them that the tool found."),
    *with_interval(
        Column("recall_dii", "Recall of DIIs", "fraction", "Share found of all distinct difference-inducing inputs."),
        rests_on="recall_dii_rests_on",
    ),
    SCALE,
)


def make(settings: Settings, given: Given) -> Table:
    """A row for each tool and number of queries, in each neighbourhood of each subject.

    Raises:
        QuantriftError: there are no searches, tools started from different inputs, or one found what the enumeration
            does not have.
    """
    rows = [
        dict(zip((*SUBJECT_KEYS, "neighbourhood"), (*one.subject, one.neighbourhood), strict=True))
        | facts
        | {"tool": tool, "queries": most, "scale": given.scale}
        | _recall(one.known, found, one.truth, most)
        for one in read_enumerated(given.searched("searches"), given.files["records"], given.stated["tools"])
        for facts in [_facts(one.truth, one.known)]
        for tool, found in one.found.items()
        for most in settings.queries
    ]
    data = frame(rows, COLUMNS)
    return Table(
        data,
        COLUMNS,
        [
            f"Scale: {given.scale}. Seed inputs: {distinct(data['inputs'], whole)}. All members of the neighbourhood "
            "of each seed input were run on both networks, on one type of processor; the seed input itself is one of "
            "them. Certified means that no member gets different labels. Nothing is said about other images.",
            "SR and recall count a disagreement that was found within the first candidates of a search, as many as "
            "“Queries” says. A search tool may evaluate a member again, which counts as a query. Inputs are the same "
            "if all their bytes are.",
            "Intervals are 95 %: Wilson for shares of seed inputs, a bootstrap over seed inputs for shares of "
            "difference-inducing inputs, which is left out where fewer than three seed inputs have one.",
        ],
    )


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> Iterable[str]:
    """The certified share of each neighbourhood, then the recall of each tool at the most queries."""
    most = str(max(settings.queries))
    for text, own in by([row for row in rows if row["queries"] == most], "neighbourhood").items():
        share, found = "{} of the seed inputs are certified", f"under {text}, {most} queries find"
        said = (
            *of_each(settings, own, words, "certified", share, key="neighbourhood", join=" under "),
            *of_each(settings, own, words, "recall", f"{found} {{}} of those with a disagreement"),
        )
        # Readers see shift=2+brightness=32 in words.
        yield from (line.replace(text, text.replace("+", " and ").replace("=", " up to ")) for line in said)


def _facts(truth: Arrays, known: Disagreements) -> dict[str, Any]:
    """Cells that all tools of a neighbourhood share."""
    of_seed = known.inputs(len(truth["input"]))
    members = int(truth["generated"].max())
    refuse(((truth["valid"] < members).any(), "the enumeration left members out; give its tool constraint: none"))
    return {
        "members": members,
        "inputs": len(of_seed),
        "differing_inputs": int(truth["seed_disagrees"].sum()),
        **estimate("certified", certified(known, truth["cluster"], unit_of(truth["input"], truth["cluster"]))),
        "n_truth": int(np.count_nonzero(of_seed)),
        "dii_truth": int(of_seed.sum()),
    }


def _recall(known: Disagreements, of_tool: Disagreements, truth: Arrays, queries: int) -> dict[str, Any]:
    found = recall(known, of_tool, truth["cluster"], queries, unit_of(truth["input"], truth["cluster"]))
    return {
        **estimate("sr", found.success),
        "n_found": found.n_seeds,
        **estimate("recall", found.seeds),
        "dii_found": found.n_inputs,
        **estimate("recall_dii", found.inputs),
    }
