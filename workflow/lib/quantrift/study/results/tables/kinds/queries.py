"""Success and queries of tools against a baseline on the same inputs (TriggerFinder)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import pandas as pd
from pydantic import Field

from quantrift.core.page.number_format import distinct, whole
from quantrift.core.page.shared_columns import INPUTS, RUN_SEEDS, SEARCHED, success_rate
from quantrift.core.settings.references import ToolId
from quantrift.core.statistics import disagreements, query_counts, statistics
from quantrift.core.statistics.column import SCALE, Column, frame, key, published, reference, with_interval
from quantrift.core.statistics.published import SUBJECT
from quantrift.study.results.tables import query_pairs
from quantrift.study.results.tables.answer_words import Cells, Words, of_each, subject_of
from quantrift.study.results.tables.finished_table import Detail, Table, adjust
from quantrift.study.results.tables.published_numbers import (
    OfTools,
    Rows,
    beside_tools,
    filed,
    read_of_tools,
)
from quantrift.study.results.tables.query_pairs import FACTORS, OWN, Pairs, charged, overall, with_factors
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.over_seconds import needs as needs
from quantrift.study.results.targets.target import PublishedOfTools, QueryTarget, SecondsTarget


class Settings(QueryTarget, PublishedOfTools, SecondsTarget):
    """Success and queries of each tool, and of each against a baseline on the same inputs."""

    baseline: ToolId | None = None
    """The tool that all others are compared with, which is one of ``tools``."""
    timeout: Annotated[float, Field(gt=0)] | None = None
    """Seconds that the paper gave a search. Searches here end after evaluations, so success within this time is a
    column of the timing file."""
    reference: str | None = None
    """File in workflow/published of what the paper's authors' own tool gave when it was run here, with columns as in
    ``published``; it is shown in columns called reference, never as published."""

    @property
    def published_files(self) -> list[str]:
        """The published file, then the reference, those that are given."""
        return [*super().published_files, *([self.reference] if self.reference else [])]

    def faults(self) -> Mapping[str, object]:
        """See ``Strict``."""
        text = f"baseline: '{self.baseline}' is none of the tools; add it to them"
        return {text: self.baseline and self.baseline not in self.tools}


mistakes = protocol_checks.all_of(protocol_checks.of_queries, protocol_checks.of_seconds)


def _quantile(name: str) -> Column:
    share = f"{100 * query_counts.QUANTILES[name]:.0f} %"
    label, words = {
        "median": ("median", "Median over seed inputs"),
        "most": ("most", "Largest number of any seed input"),
    }.get(name, (share, f"{share} of the seed inputs need no more queries"))
    return Column(
        f"queries_{name}", f"Queries {label}", "number", f"{words}; a failed search counts with all of its queries."
    )


SR, SR_LOW, SR_HIGH, RESTS_ON = success_rate()
LEAST = Column("sr_least", "SR least", "fraction", "Smallest success rate of the subjects behind the row.")
AVERAGE = Column(
    "queries_average",
    "Queries",
    "number",
    "Candidates put through both models until they disagreed, mean over successes.",
)
QUANTILES = tuple(map(_quantile, query_counts.QUANTILES))
FACTOR_COLUMNS = (
    Column(
        "factor",
        "Factor",
        "number",
        "Mean queries divided by the other tool's. In a row over several subjects, the mean of their factors.",
    ),
    Column(
        "factor_of_averages", "Factor of means", "number", "Mean queries over subjects, divided by the other tool's."
    ),
    Column("factor_geometric", "Factor geometric", "number", "Geometric mean of the subjects' factors."),
    Column("factor_least", "Factor least", "number", "Smallest of the subjects' factors."),
    Column("factor_most", "Factor most", "number", "Largest of the subjects' factors."),
)
"""See ``FACTORS``."""
_TESTS = {column.name: column for column in statistics.COLUMNS} | {
    "p_min": Column("p_min", "smallest p", "p", "Smallest p-value that these inputs could give.")
}
DETAILS = ("timing", "repetitions")
COLUMNS = (
    *SEARCHED,
    key("against", "Against", "Tool that the row compares with."),
    Column("subjects", "Subjects", "count", "Number of subjects that the row is a mean over.", "runs"),
    RUN_SEEDS,
    replace(INPUTS, meaning="Seed inputs of all run seeds on which the models agree before any search."),
    Column("differing_inputs", "Differing inputs", "count", "Inputs on which the models disagree before any search."),
    Column("n_success", "Inputs with a DII", "count", "Seed inputs with at least one difference-inducing input."),
    RESTS_ON,
    SR,
    SR_LOW,
    SR_HIGH,
    LEAST,
    *with_interval(AVERAGE, RESTS_ON.name)[:3],
    Column(
        "queries_penalised",
        "Charged",
        "number",
        "Queries, mean over all seed inputs; a failed search counts with all of its queries.",
    ),
    *QUANTILES,
    *statistics.columns(
        "Queries",
        "queries_",
        of=(
            *FACTOR_COLUMNS,
            *with_interval(
                Column(
                    "ratio",
                    "Ratio",
                    "number",
                    "Queries divided by the other tool's on the same input, geometric mean over inputs.",
                    no_effect=1,
                    p="p_holm",
                )
            ),
            *(_TESTS[name] for name in ("a12", "rank_biserial", "p", "p_min", "p_holm")),
        ),
    ),
    published(SR),
    published(LEAST),
    published(AVERAGE, "published_queries"),
    *(published(replace(column, name=f"queries_{column.name}")) for column in FACTOR_COLUMNS),
    reference(Column("inputs", "Inputs", "count", "Seed inputs from which the authors' tool was run.")),
    reference(AVERAGE, "queries"),
    *map(reference, QUANTILES),
    SCALE,
)
SHOWN = ("sr", "queries")
PUBLISHED = (
    *(*SHOWN, "sr_least", "seconds"),
    *(f"{measure}_{name}" for measure in ("queries", "seconds") for name in FACTORS),
)
"""Names of a tool's numbers in a published file; factors and the smallest SR stand in its row without a subject."""


def make(settings: Settings, given: Given) -> Table:
    """A row for each tool on a subject, those that only the paper has, then a row for each tool over subjects.

    Inputs on which the models disagree before any search are left out. Holm's correction is over the table. A detail
    has a row for each run seed; times, the published ones included, stand apart.

    Raises:
        QuantriftError: there is no search, tools of a subject started from different inputs, or the published file
            has another column.
    """
    everything = query_counts.load(given.searched("searches"))
    rows: Rows = []
    timing: Rows = []
    ratios: dict[str, list[query_counts.Ratio]] = {}
    alone = query_pairs.isolated(
        query_counts.seeds(disagreements.load(given.files.get("isolated", {}))), settings.timeout
    )
    for subject, of_subject in everything.groupby(list(SUBJECT), sort=False):
        keys = dict(zip(SUBJECT, subject, strict=True))
        own = {str(tool): one for tool, one in of_subject.groupby("tool")}
        for tool in filter(own.__contains__, settings.tools):
            cells, compared = _cells(own, tool, settings.baseline, "/".join(map(str, subject)))
            if compared:
                ratios.setdefault(tool, []).append(compared)
            rows.append(keys | {"tool": tool} | cells)
            timing.append(
                keys
                | {"tool": tool, "against": cells["against"]}
                | charged(query_counts.seeds(own[tool]), settings.timeout)
                | alone.get((*map(str, subject), tool), {})
            )
    adjust(rows, "queries_p")
    files = {file.name: file for file in given.published}
    measured = read_of_tools(
        files.pop(settings.reference) if settings.reference else None,
        ("inputs", "queries", *(column.name for column in QUANTILES)),
    )
    papers = read_of_tools(next(iter(files.values()), None), PUBLISHED)
    pairs = Pairs(settings.tools, settings.baseline, papers, settings.published_as, given.published_as)
    rows = _with_published(rows, "queries", pairs, SHOWN, ratios)
    for row in rows:
        row |= _reference(row, measured, pairs) | {"scale": given.scale if {"run_seeds", "sr"} & row.keys() else None}
    columns = tuple(column for column in COLUMNS if settings.reference or column.group != "reference")
    data = frame(rows, columns)
    times = _with_published(timing, "seconds", pairs, ("seconds",))
    if settings.isolated:
        times = query_pairs.isolated_factors(times, pairs)
    of_run_seeds = (
        query_counts.seeds(everything)
        .groupby([*SUBJECT, "tool", "run_seed"], sort=False)
        .agg(
            inputs=("success", "size"),
            n_success=("success", "sum"),
            queries_average=("fdi", "mean"),
            queries_median=("queries", "median"),
        )
    )
    shown = [
        *("subjects", "seconds", "seconds_success_average", "sr_within"),
        *(f"seconds_{name}" for name in FACTORS),
        *((*query_pairs.ISOLATED, *(f"isolated_seconds_{name}" for name in FACTORS)) if settings.isolated else ()),
        "published_seconds",
        *(f"published_seconds_{name}" for name in FACTORS),
    ]
    return Table(
        data,
        columns,
        _notes(settings, data, int(everything["spent"].max()), given),
        timing=pd.DataFrame(times).reindex(columns=[*SUBJECT, "tool", "against", *shown]),
        details={"repetitions": Detail("", of_run_seeds.reset_index())},
    )


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> Iterable[str]:
    """The queries of each tool, and how many times those of the baseline they are on the same inputs."""
    ratio = f"against {words.name(settings.baseline or '')} on the same inputs, {{}} times the queries"
    return [
        *of_each(settings, rows, words, "queries_average", "on average {} queries until a disagreement"),
        *of_each(settings, [row for row in rows if row["against"]], words, "queries_ratio", ratio),
    ]


def _reference(row: Mapping[str, Any], measured: OfTools, pairs: Pairs) -> dict[str, Any]:
    """Cells of the authors' own tool on the subject of a row."""
    of_tools = measured.get(filed(subject_of(row), pairs.published_as), {})
    name = pairs.names.get(row["tool"], row["tool"])
    return {f"reference_{what}": value for what, value in of_tools.get(name, {}).items()}


def _cells(
    tools: Mapping[str, pd.DataFrame], tool: str, baseline: str | None, subject: str
) -> tuple[dict[str, Any], query_counts.Ratio | None]:
    """Cells of a tool on one subject, and its comparison with the baseline where that is another tool and was run."""
    kept = query_counts.seeds(tools[tool])
    cells: dict[str, Any] = {
        "against": None,
        "run_seeds": tools[tool]["run_seed"].nunique(),
        "inputs": len(kept),
        "differing_inputs": len(tools[tool]) - len(kept),
        **query_counts.spread(kept),
    }
    if baseline is None or tool == baseline or baseline not in tools or not len(kept):
        return cells, None
    found = query_counts.ratio(kept, query_counts.seeds(tools[baseline]), subject)
    tests = {f"queries_{name}": getattr(found, name) for name in ("p", "p_min", "a12", "rank_biserial")}
    return cells | {"against": baseline} | _ratio([found]) | tests, found


def _ratio(found: Sequence[query_counts.Ratio]) -> dict[str, float]:
    return dict(
        zip(("queries_ratio", "queries_ratio_low", "queries_ratio_high"), query_counts.over(found), strict=True)
    )


def _with_published(
    rows: Rows,
    measure: str,
    pairs: Pairs,
    shown: Sequence[str],
    ratios: Mapping[str, Sequence[query_counts.Ratio]] | None = None,
) -> Rows:
    """Rows of subjects with the paper's numbers, then rows over subjects, with the ratio where there are several."""
    several = list(overall(rows, measure, pairs, rates="sr" in shown))
    for row in several:
        if len(of_tool := (ratios or {}).get(row["tool"], ())) > 1 and OWN[measure] in row:
            row.update(_ratio(of_tool))
    papers = {subject: tools for subject, tools in pairs.papers.items() if any(subject)}
    beside = beside_tools(with_factors(rows, measure, pairs), papers, shown, pairs.names, pairs.published_as)
    return [*beside, *several]


def _notes(settings: Settings, data: pd.DataFrame, most: int, given: Given) -> list[str]:
    """Lines above the cells; ``most``: candidates after which a search gives up."""
    of_subjects = data[data["run_seeds"].notna()]
    return [
        f"Scale: {given.scale}. Seed inputs of each tool: {distinct(of_subjects['inputs'], whole) or 'none'}, of "
        f"{distinct(of_subjects['run_seeds'], whole)} repetitions. A search ends with its first disagreement, at the "
        f"latest after {most:,} queries.",
        "A query is one candidate put through both models; the query of the seed input itself is not counted. Means "
        "are over successes, as published, with the 95 % interval of a bootstrap over inputs. Where fewer than three "
        "inputs have a success, there is no interval, and words give their number. Charged means, quantiles and tests "
        "count a failed search with all its queries. Inputs on which the models disagree before any search are left "
        "out.",
        (
            f"Reference: {settings.reference}, measured with the public tool of the paper's authors; it stands in no "
            "paper."
        )
        if settings.reference
        else "",
        (
            f"Against {given.titles.get(settings.baseline, settings.baseline)}, on the same inputs: the factor is mean "
            "over mean, the ratio the geometric mean over inputs with its interval, none of fewer than three inputs; "
            "two-sided signed-rank test (Pratt) of log queries with inputs as units, ranked within repetitions; Holm "
            f"over the {int(data['queries_p'].notna().sum())} tests of this table. A12 above 0.5, and a factor above "
            "1: the tool needs more."
        )
        if settings.baseline
        else "",
    ]
