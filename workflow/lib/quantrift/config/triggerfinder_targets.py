"""Settings of targets in TriggerFinder's manner: how many queries searches need to their first disagreement."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from quantrift.config.base import Id
from quantrift.config.target import Pair, Target


class QueryTarget(Target):
    """What targets over queries state."""

    from_: Annotated[list[Id], Field(alias="from", min_length=1)]
    """Experiments whose searches are used; they end with their first disagreement."""
    tools: Annotated[list[Id], Field(min_length=1)]
    """Of these tools."""
    pairs: list[Pair] | None = None
    """Of these networks and compressions alone; all that the experiments have where it is not given."""


class QueryTable(QueryTarget):
    """Success and queries of each tool, and of each against one of them on the same inputs."""

    kind: Literal["queries"]
    baseline: Id | None = None
    """The tool that all others are compared with, which is one of ``tools``."""
    timeout: Annotated[float, Field(gt=0)] | None = None
    """Seconds that the paper gave a search. Searches here end after evaluations, so success within this time is a
    column of the timing file."""
    published: str | None = None
    """File of the paper's numbers in workflow/published, shown beside ours where it is said that they are its."""
    published_as: dict[Id, str] = Field(default_factory=dict)
    """Tool -> name of its columns in that file, where that is not its own id."""

    @model_validator(mode="after")
    def _baseline_is_shown(self) -> "QueryTable":
        if self.baseline and self.baseline not in self.tools:
            raise ValueError(f"baseline: '{self.baseline}' is none of the tools; add it to them")
        return self


class QueryFigure(QueryTarget):
    """Histograms of queries with mean and median, a panel a network and compression."""

    kind: Literal["query_histograms"]
