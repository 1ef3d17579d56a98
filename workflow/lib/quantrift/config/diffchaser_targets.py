"""Settings of targets in DiffChaser's manner: how often, how soon and how many disagreements searches find."""

from typing import Annotated, Literal

from pydantic import Field

from quantrift.config.base import Id
from quantrift.config.target import Target, ToolTarget


class GoalTarget(ToolTarget):
    """What targets over the goals of searches state."""

    from_: Annotated[list[Id], Field(alias="from", min_length=1)]
    """Experiments whose searches are used, under one protocol for each tool and subject."""
    tools: list[Id] | None = None
    """Of these tools alone; all that the experiments have where it is not given."""


class SuccessTable(GoalTarget):
    """On how many seed inputs each tool reaches its goal, every pair of tools tested."""

    kind: Literal["success_rates"]
    timeout: Annotated[float, Field(gt=0)] | None = None
    """Seconds that the paper gave a search. Searches here end after evaluations, so success within this time is a
    column of the timing file."""


class SuccessFigure(GoalTarget):
    """Share of the seed inputs that succeeded by so many candidates, a panel a network, a line a compression."""

    kind: Literal["success_curves"]


class UncertaintyTarget(Target):
    """What targets over settings of one tool state: the first disagreement, and all of them."""

    from_: Annotated[list[Id], Field(alias="from", min_length=1)]
    """Experiments whose searches are used; their searches go on after the first find."""
    settings: Annotated[dict[str, Id], Field(min_length=2)]
    """Short name of a setting -> the tool that has it; the first is what the others are compared with."""

    @property
    def tools(self) -> list[str]:
        """The tools whose searches are needed."""
        return list(self.settings.values())


class UncertaintyTable(UncertaintyTarget):
    """Quartiles of both, and tests over seed inputs."""

    kind: Literal["uncertainty_tests"]


class UncertaintyFigure(UncertaintyTarget):
    """Boxes of both, a column of panels a network."""

    kind: Literal["uncertainty_boxes"]


class TargetedTable(GoalTarget):
    """On how many pairs of a seed input and another class a targeted search succeeds, and after how many iterations."""

    kind: Literal["targeted"]


class TargetedFigure(GoalTarget):
    """Inputs that targeted searches found: a row a seed input, a column a class."""

    kind: Literal["targeted_grid"]
