"""Settings of targets that compare searches: tools, groups of tools, compressions, datasets."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from quantrift.config.base import Id, Strict
from quantrift.config.target import Target, ToolTarget

Rate = Literal["dir", "dir_unique", "dir_valid", "sr", "vr"]
Key = Literal["dataset", "model", "compression"]


class BaselineTable(Target):
    """Compares groups of tools with a baseline on every subject."""

    kind: Literal["compare_to_baseline"]
    from_: Annotated[list[Id], Field(alias="from", min_length=1)]
    """Experiments whose searches are used."""
    baseline: Id
    """Tool the groups are compared with."""
    groups: dict[str, list[Id]]
    """Name of a group -> its tools; a cell of a group is the mean of its tools' medians."""
    published: str | None = None
    """File of the papers' numbers in workflow/published, shown beside ours in columns that say so."""


class ToolGroup(Strict):
    """Tools whose medians are averaged."""

    tools: list[Id]
    """Without any, the group has cells of the papers alone."""
    protocol: Id | None = None
    """Under which they searched; needed where the experiments have a tool under several."""


def _tools_alone(value: Any) -> Any:
    return {"tools": value} if isinstance(value, list) else value


class GroupTable(Target):
    """Compares all pairs of groups of tools on every subject."""

    kind: Literal["compare_groups"]
    from_: Annotated[list[Id], Field(alias="from", min_length=1)]
    """Experiments whose searches are used; those of the groups' tools alone."""
    groups: Annotated[dict[str, Annotated[ToolGroup, BeforeValidator(_tools_alone)]], Field(min_length=2)]
    """Name of a group -> its tools, or its tools and their protocol."""
    rows: list[Key] | None = None
    """What a row of the paper's table is about; its cells are means over all else. Rows of single subjects follow.
    Those alone are shown where it is not given."""
    metrics: list[Rate] = Field(default=["dir", "dir_unique", "dir_valid", "sr", "vr"])
    """Rates that pages show; the CSV has all."""
    published: str | None = None
    """File of the papers' numbers in workflow/published, shown beside ours in columns that say so."""

    def shows(self, tool: str, protocol: str) -> bool:
        """Whether a group consists of it."""
        return any(tool in group.tools and group.protocol in (None, protocol) for group in self.groups.values())


class DifferenceTable(Target):
    """Inputs that differ before any search beside what one tool finds, counts and rates."""

    kind: Literal["difference_counts"]
    from_: Annotated[list[Id], Field(alias="from", min_length=1)]
    tools: Annotated[list[Id], Field(min_length=1, max_length=1)]
    """The tool."""
    published: str | None = None
    """File of the papers' numbers in workflow/published, shown beside ours in columns that say so."""


class FirstAttackTable(ToolTarget):
    """How many candidates, and how much time, each tool needs for its first difference-inducing input."""

    kind: Literal["first_attack"]
    from_: Annotated[list[Id], Field(alias="from", min_length=1)]
    rows: list[Key] | None = None
    """Means over all but these follow the rows of single subjects."""


class BoxFigure(ToolTarget):
    """Box plots of one metric over run seeds, a panel a subject, a box a tool."""

    kind: Literal["boxes"]
    from_: Annotated[list[Id], Field(alias="from", min_length=1)]
    metric: Rate = "dir"
    by: Literal["tool", "compression", "dataset"] = "tool"
    """What the boxes of a panel are; over the tools, the mean of each run seed is drawn then."""
    tools: list[Id] | None = None
    """Of these tools alone; all that the experiments have where it is not given."""

    @model_validator(mode="after")
    def _published_of_tools(self) -> "BoxFigure":
        if self.published and self.by != "tool":
            raise ValueError(f"published: no numbers of single tools stand in a figure by {self.by}; leave it out")
        return self


def group_names(groups: Mapping[str, Sequence[str]], titles: Mapping[str, str]) -> dict[str, str]:
    """What people read for each group of tools: the tool where it is one that no other group has, else the group's id.

    Ids of groups name columns of published files, and may be those of other tools.
    """
    only = {name: tools[0] for name, tools in groups.items() if len(tools) == 1}
    counts = Counter(only.values())
    return {name: titles.get(only[name], only[name]) if counts[only.get(name, "")] == 1 else name for name in groups}
