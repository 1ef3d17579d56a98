"""Settings of targets: the tables and figures one can ask for by name."""

from typing import Annotated, Literal

from pydantic import Field

from quantrift.config.base import Id, Strict


class Target(Strict):
    """What all targets state."""

    title: str
    """Heading in the report."""
    caption: str = ""
    """What the reader sees and how it was computed, a few sentences."""
    source: str = ""
    """Table or figure of a paper that this one rebuilds."""
    published: str | None = None
    """File of the papers' numbers in workflow/published, shown beside ours in columns or marks that say so."""


class SubjectTable(Target):
    """A table over networks or compressed models: accuracies, sizes, audits."""

    kind: Literal["models", "compression"]
    subjects: list[Id] | None = None
    """Groups of subjects; all that the targets of ``all`` use where it is not given."""


class BaselineTable(Target):
    """Compares groups of tools with a baseline on every subject."""

    kind: Literal["compare_to_baseline"]
    from_: Annotated[list[Id], Field(alias="from", min_length=1)]
    """Experiments whose searches are used."""
    baseline: Id
    """Tool the groups are compared with."""
    groups: dict[str, list[Id]]
    """Name of a group -> its tools; a cell of a group is the mean of its tools' medians."""


class BoxFigure(Target):
    """Box plots of one metric over run seeds, a panel a subject, a box a tool."""

    kind: Literal["boxes"]
    from_: Annotated[list[Id], Field(alias="from", min_length=1)]
    metric: Literal["dir", "dir_unique", "dir_valid", "sr", "vr"] = "dir"
    published_as: dict[Id, str] = Field(default_factory=dict)
    """Tool -> name of its columns in that file, where that is not its own id."""


TABLE_KINDS = ("models", "compression", "compare_to_baseline")
FIGURE_KINDS = ("boxes",)

AnyTarget = Annotated[SubjectTable | BaselineTable | BoxFigure, Field(discriminator="kind")]
