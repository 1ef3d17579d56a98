"""Disagreements of pairs of networks by the margin law, by counting, and under a search."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import Field

from quantrift.core.page.shared_columns import INPUTS, SUBJECT, estimate, success_rate
from quantrift.core.settings.references import ExperimentId, ToolId
from quantrift.core.statistics import disagreements, margin_files
from quantrift.core.statistics.column import SCALE, Column, end, frame, published
from quantrift.core.statistics.intervals import of_inputs, unit_of
from quantrift.core.statistics.margin_law import predicted
from quantrift.study.results.tables.answer_words import LISTED, Cells, Words, subject_of
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.tables.published_numbers import cells, filed, read_of_tools
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import PublishedOfTools, Searching, SubjectTarget


class Settings(SubjectTarget, Searching, PublishedOfTools):
    """The margin law on some compressed networks, beside the success of one tool."""

    from_: Annotated[list[ExperimentId], Field(alias="from", default_factory=list)]
    """Experiments with searches of the tool."""
    tool: ToolId | None = None
    """Tool whose success stands beside the law; none where it is not given."""

    def faults(self) -> Mapping[str, object]:
        """See ``Strict``."""
        return {"from and tool go together; give both or none": bool(self.from_) != bool(self.tool)}

    @property
    def experiments(self) -> list[str]:
        """See ``Searching``."""
        return self.from_

    def shows(self, tool: str, protocol: str) -> bool:
        """See ``Searching``."""
        return tool == self.tool


mistakes = partial(protocol_checks.goal, targeted=False)


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """Margins of each subject, and counts of every single search."""
    return {
        "margins": results.compressed(settings, margin_files.FILE),
        "searches": results.counts(settings) if settings.from_ else {},
    }


PREDICTED = Column(
    "predicted",
    "Predicted",
    "number",
    "Test inputs with a disagreement, by the margin law, with its 95 % interval.",
    low="predicted_low",
    high="predicted_high",
)
ERROR = Column(
    "error_median",
    "Error",
    "number",
    "Change of the difference between the original's two largest logits, without its sign: median over test inputs.",
)
AGREES, DIFFERS = "agrees", "differs"
SR = success_rate("Seed inputs from which the tool finds a disagreement.")
COLUMNS = (
    *SUBJECT,
    Column("tool", "Tool", "id", "Tool whose success stands beside.", "key"),
    Column("test_inputs", "Test inputs", "count", "Test inputs of both networks."),
    ERROR,
    Column("error", "Error at the boundary", "number", "Mean error towards the boundary, in logits, near it."),
    Column("density", "Density", "number", "Share of the test inputs per unit of logit, at the boundary."),
    PREDICTED,
    end("predicted_low", PREDICTED),
    end("predicted_high", PREDICTED),
    Column(
        "counted",
        "Counted",
        "count",
        "Test inputs on which the networks disagree, with the 95 % interval of what it counts.",
        low="counted_low",
        high="counted_high",
    ),
    Column("counted_low", "Counted", "number", group="end"),
    Column("counted_high", "Counted", "number", group="end"),
    Column(
        "verdict",
        "Verdict",
        "text",
        "Agrees, where both intervals meet; differs, where they do not; none where the law does not hold.",
    ),
    Column("refused", "Not by the law", "text", "Why the margin law does not hold here."),
    INPUTS,
    Column("n_success", "Successes", "count", "Seed inputs from which the tool finds a disagreement."),
    *SR,
    published(SR[0]),
    SCALE,
)


def make(settings: Settings, given: Given) -> Table:
    """A row for each subject, in ascending order of its error.

    Raises:
        QuantriftError: the published file has another column than ``<tool>_sr`` and ``<tool>_seconds``.
    """
    names = [column.name for column in SUBJECT]
    papers = read_of_tools(given.published_file, ("sr", "seconds"))
    tool = settings.tool or ""
    searches = disagreements.load(given.files["searches"]) if settings.from_ else None
    found = {} if searches is None else dict(iter(searches.groupby(names, sort=False)))
    rows = [
        dict(zip(names, subject, strict=True))
        | {"tool": tool, "scale": given.scale}
        | _of_margins(path)
        | (_of_searches(found[subject]) if subject in found else {})
        | cells(
            papers.get(filed(subject, given.published_as), {}).get(settings.published_as.get(tool, tool), {}), ["sr"]
        )
        for subject, path in given.one("margins").items()
    ]
    data = frame(sorted(rows, key=lambda row: row["error_median"]), COLUMNS)
    judged = [row for row in rows if row["verdict"]]
    agree = sum(row["verdict"] == AGREES for row in judged)
    return Table(
        data,
        COLUMNS,
        [
            f"Scale: {given.scale}. Rows ascend by their error, in logits.",
            "The margin law (docs/metrics.md) takes errors and density near the boundary from the logits of the test "
            "inputs and looks at no label. Intervals: bootstrap over inputs, on scenes over blocks; Wilson's of "
            "the count.",
            f"Foretold and counted agree for {agree} of {len(judged)} pairs that the law holds for; of all these, "
            f"{sum(row['predicted'] for row in judged):,.0f} disagreements are foretold and "
            f"{sum(row['counted'] for row in judged):,} counted.",
        ],
    )


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> Iterable[str]:
    """Predicted and counted disagreements, and the success of the tool, each subject with its error."""
    for row in rows[:LISTED]:
        law = f"{words.cell(row, 'predicted')} predicted and " if row["predicted"] else ""
        success = f"; {words.name(row['tool'])} succeeds from {words.cell(row, 'sr')}" if row["sr"] else ""
        yield (
            f"{words.where([row])}: an error of {words.cell(row, 'error_median')}, {law}{words.cell(row, 'counted')} "
            f"counted disagreements{success}."
        )
    if len(rows) > LISTED:
        yield f"{len({*map(subject_of, rows[LISTED:])})} more subjects in the table."


def _of_margins(path: Path) -> dict[str, Any]:
    of, clusters = margin_files.read(path)
    count, law = len(of.margin), predicted(of, clusters)
    seen = of_inputs(clusters, of.differs, unit_of(np.arange(count), clusters))
    meet = law.low <= seen.high and seen.low <= law.high
    return {
        "test_inputs": count,
        "error_median": float(np.median(np.abs(of.change))),
        "error": law.error,
        "density": law.density,
        "predicted": law.rate * count,
        "predicted_low": law.low * count,
        "predicted_high": law.high * count,
        "counted": int(of.differs.sum()),
        "counted_low": seen.low * count,
        "counted_high": seen.high * count,
        "verdict": "" if law.refused or np.isnan(law.low) else AGREES if meet else DIFFERS,
        "refused": law.refused,
    }


def _of_searches(searches: pd.DataFrame) -> dict[str, Any]:
    inputs, clusters = searches["input"].to_numpy(), searches["cluster"].to_numpy()
    return {
        "inputs": len(searches),
        "n_success": int(searches["success"].sum()),
        **estimate("sr", of_inputs(clusters, searches["success"].to_numpy(), unit_of(inputs, clusters))),
    }
