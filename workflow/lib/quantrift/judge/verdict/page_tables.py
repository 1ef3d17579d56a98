"""Tables in an assessment's report: columns that fields of its dataclasses carry, and rows of these."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from quantrift.core.page.field_columns import cells, columns_of
from quantrift.core.page.shared_columns import INPUTS
from quantrift.core.statistics.column import Column, Columns, key
from quantrift.judge.verdict.assessment import (
    CANDIDATE,
    QUANTILES,
    Assessment,
    Audit,
    Candidate,
    ClassFlips,
    Clean,
    Comparison,
    Judgement,
    Layer,
    Margins,
    Need,
    Shrunk,
)
from quantrift.judge.verdict.tool_result import (
    ClassRate,
    Confusion,
    Counted,
    DistortionOdds,
    Queries,
    ToolResult,
)

Row = Mapping[str, object]
Table = tuple[Columns, Sequence[Row]]
"""Columns of a table, and its rows, whose cells have their names."""
LISTED = 15
"""Most rows of long lists: odds ratios and smallest sets of a model."""
TOOL = columns_of(ToolResult, "title")


def rates(found: Assessment) -> Table:
    """Rates of each tool on each model."""
    return (
        CANDIDATE,
        *columns_of(ToolResult, "title", "kind", "dir_valid"),
        Column("limit_dir", "DiR limit", "fraction", "Greatest DiR that passes."),
        *columns_of(ToolResult, "sr"),
        Column("limit_sr", "SR limit", "fraction", "Greatest SR that passes."),
        *columns_of(ToolResult, "vr", "dir", "dii", "evaluations"),
        *columns_of(Queries, "median"),
        *columns_of(ToolResult, "searches"),
    ), [
        cells(
            tool,
            candidate=one.name,
            limit_dir=found.limits.max_dir if tool.judged and tool.samples else None,
            limit_sr=found.limits.max_sr if tool.judged else None,
            queries_median=tool.queries.median if tool.queries else None,
        )
        for one in found.candidates
        for tool in one.tools
    ]


def clean(found: Assessment) -> Table:
    """Both models on the inputs as given; columns in the words of the task."""
    task, columns = (
        found.task,
        (
            CANDIDATE,
            *columns_of(Clean, "disagreement", "disagreeing"),
            *(columns_of(Clean, "foretold") if found.task.labels else ()),
            *columns_of(Clean, "right_to_wrong", "wrong_to_right", "between_wrong"),
            *columns_of(Clean, "accuracy_original", "accuracy_compressed"),
            *columns_of(Audit, "int8_mac_share"),
            Column("size_bytes", "Size", "bytes", "Size of the converted file."),
            Column("size_bytes_original", "Size original", "bytes", "Size of the original's converted file."),
        ),
    )
    meanings = {
        "disagreement_share": f"Inputs that {task.differs}.",
        "right_to_wrong": f"Inputs for which the original's output alone is {task.right}.",
        "wrong_to_right": f"Inputs for which the compressed model's output alone is {task.right}.",
        "between_wrong": f"Inputs on which the models disagree and neither output is {task.right}.",
        "accuracy_original": f"Of the original: {task.accuracy}.",
        "compressed_accuracy": f"Of the compressed model: {task.accuracy}.",
    }
    if not task.labels:
        columns = tuple(replace(one, meaning=meanings.get(one.name, one.meaning)) for one in columns)
    return columns, [
        cells(
            one.clean,
            candidate=one.name,
            int8_mac_share=one.audit.int8_mac_share if one.audit else None,
            size_bytes=one.model.bytes,
            size_bytes_original=found.original.bytes,
        )
        for one in found.candidates
    ]


def judgements(found: Assessment) -> Table:
    """Judgements behind the verdict, the inputs as given first."""
    columns = columns_of(Judgement, "verdict", "figure", "tool", "rate", "allowed", "count", "needed_least", "needed")
    return (CANDIDATE, *columns), [
        cells(row, candidate=one.name, tool=row.tool or "inputs as given")
        for one in found.candidates
        for row in one.judgements
    ]


def certified(found: Assessment) -> Table:
    """Outcomes of each neighbourhood in which inputs were certified."""
    return (
        CANDIDATE,
        *columns_of(
            Counted, "neighbourhood", "members", "share", "low", "high", "certified", "proven", "counterexamples"
        ),
        *columns_of(Counted, "unfinished", "unknown"),
        INPUTS,
    ), [cells(row, candidate=one.name, inputs=row.inputs) for one in found.candidates for row in one.certified]


def flipped(one: Candidate) -> Table:
    """Classes with changed labels on the inputs as given; unchanged ones are left out."""
    share = Column("flipped_share", "Lost share", "fraction", "Lost inputs as a share of the original's.")
    lost = sorted((row for row in one.clean.classes if row.flipped), key=lambda row: -row.flipped)
    columns = (*columns_of(ClassFlips, "name", "original", "compressed", "flipped"), share)
    return columns, [cells(row, flipped_share=row.flipped / row.original) for row in lost]


def odds(one: Candidate) -> Table:
    """Distortions by how much more often they are on where the models disagree."""
    return (
        *columns_of(DistortionOdds, "distortion"),
        *TOOL,
        *columns_of(DistortionOdds, "ratio", "low", "high", "corrected"),
    ), [
        cells(row, distortion=named(row.distortion), tool=tool.title)
        for tool in one.tools
        for row in [row for row in tool.odds if row.ratio is not None][:LISTED]
    ]


def needs(one: Candidate) -> Table:
    """Smallest sets of distortions that make the models disagree."""
    return columns_of(Need, "distortions", "tool", "share", "inputs"), [
        cells(need, distortions=words(need.distortions), tool=one.titles.get(need.tool, need.tool))
        for need in one.needs[:LISTED]
    ]


def classes(one: Candidate) -> Table:
    """Classes of seed inputs with disagreements; others are left out."""
    counted = columns_of(ClassRate, "sr", "successes", "seeds", "dii", "evaluations")
    rows = [cells(row, tool=tool.title) for tool in one.tools for row in tool.classes if row.dii]
    return (*columns_of(ClassRate, "name"), *TOOL, *counted), rows


def confusions(one: Candidate) -> Table:
    """Pairs of labels in disagreements."""
    return (*columns_of(Confusion, "original", "compressed"), *TOOL, *columns_of(Confusion, "dii")), [
        cells(row, tool=tool.title) for tool in one.tools for row in tool.confusions
    ]


def margins(found: Assessment) -> Table:
    """Margins of both models."""
    told: dict[tuple[str, str], Row] = {}
    for one in found.candidates:
        for row in one.clean.margins:
            network = "original" if row.network == "original" else one.name
            on = "all inputs" if row.on == "inputs" else row.on.removeprefix("searched ")
            if network == "original" and row.on != "inputs" and len(found.candidates) > 1:
                on = f"{on} of {one.name}"
            told.setdefault((network, on), cells(row, network=network, on=on))
    return columns_of(Margins, "network", "on", "inputs", *QUANTILES), list(told.values())


def layers(one: Candidate) -> Table:
    """Error of each layer against the original's."""
    ratios = "sqnr_db", "added_sqnr_db", "sqnr_db_seeds", "sqnr_db_dii", "cosine"
    names = ("layer", "type", *ratios, "suspect", "changed")
    return columns_of(Layer, *names), [cells(row, suspect=bool(row.suspect)) for row in one.layers]


def outputs(one: Candidate) -> Table:
    """Differences of each output on the inputs as given, under another task than classification."""
    columns = (
        key("output", "Output", kind="text"),
        Column("n_differing", "Differ", "count", "Inputs, or boxes, on which the models do not agree in this output."),
        Column("n_of", "Of", "count", "Inputs, or boxes, in all."),
        Column("mean_difference", "Mean difference", meaning="Mean absolute difference over the inputs."),
        Column("largest_difference", "Largest difference", meaning="Largest absolute difference."),
        Column("unit", "Unit", "text", "Unit of the differences, or what is counted."),
    )
    names = [column.name for column in columns]
    return columns, [dict(zip(names, vars(part).values(), strict=True)) for part in one.clean.parts]


def shrunk(one: Candidate, labels: bool = True) -> Table:
    """Single inputs with their smallest sets of distortions; ``labels``: whether labels are compared."""
    without = {} if labels else dict.fromkeys(("true_label", "label_original", "label_compressed"))
    names = ("seed", "true_label", "label_original", "label_compressed", "smallest", "exact", "distortions", "tool")
    return columns_of(Shrunk, *names), [
        cells(
            row,
            smallest=" or ".join(map(words, row.smallest)),
            before=words(row.distortions),
            tool=one.titles.get(row.tool, row.tool),
            **without,
        )
        for row in one.shrunk
    ]


def comparisons(found: Assessment) -> Table:
    """Pairs of models on the same seed inputs."""
    # All candidates are searched by the same tools.
    titles, metrics = found.candidates[0].titles, {"sr": "SR", "dir": "DiR"}
    names = ("first", "second", "metric", "tool", "first_value", "second_value", "first_alone", "second_alone")
    return columns_of(Comparison, *names, "shift", "shift_low", "shift_high", "p_holm", "inputs"), [
        cells(row, metric=metrics[row.metric], tool=titles.get(row.tool, row.tool))
        for row in (found.ranking.comparisons if found.ranking else [])
    ]


def named(distortion: str) -> str:
    """Display name of a distortion."""
    return distortion.replace("_", " ")


def words(distortions: Sequence[str]) -> str:
    """Display name of a set of distortions."""
    return " + ".join(map(named, distortions)) or "none"
