"""Parts that rows of many tables share: names of the subject and tool, a share with its interval."""

from typing import Any, Literal

from quantrift.core.statistics.column import Column, key
from quantrift.core.statistics.intervals import Share

SubjectKey = Literal["dataset", "model", "compression"]
SUBJECT = (key("dataset", "Dataset"), key("model", "Network"), key("compression", "Compression"))
SEARCHED = (*SUBJECT, key("tool", "Tool"))
RUN_SEEDS = Column("run_seeds", "Run seeds", "count", group="runs")
DIFFERING = Column(
    "differing_inputs", "Differing inputs", "count", "Seed inputs on which the models disagree before any search."
)
INPUTS = Column("inputs", "Inputs", "count", group="runs")


def searched(names: tuple[str, ...]) -> dict[str, str]:
    """Cells that name subject and tool of a row, by ``SEARCHED``."""
    return dict(zip((column.name for column in SEARCHED), names, strict=True))


def estimate(name: str, share: Share) -> dict[str, Any]:
    """A share as the cells of ``quantrift.core.statistics.column.with_interval``, with what it rests on."""
    ends = {f"{name}_low": share.low, f"{name}_high": share.high}
    return {name: share.share} | ends | {f"{name}_rests_on": share.rests_on}
