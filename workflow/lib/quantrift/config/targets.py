"""Settings of targets: the tables and figures one can ask for by name."""

from collections.abc import Mapping
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


class SubjectTarget(Target):
    """What targets over networks or compressed models state."""

    subjects: list[Id] | None = None
    """Groups of subjects; all that the targets of ``all`` use where it is not given."""


class SubjectTable(SubjectTarget):
    """A table over networks or compressed models: accuracies, sizes, audits."""

    kind: Literal["models", "compression"]
    published: list[str] = Field(default_factory=list)
    """Files of the papers' numbers in workflow/published, shown beside ours in columns that say so."""
    published_rows: bool = False
    """Whether rows that only the papers have follow, with our columns empty."""


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


class BoxFigure(Target):
    """Box plots of one metric over run seeds, a panel a subject, a box a tool."""

    kind: Literal["boxes"]
    from_: Annotated[list[Id], Field(alias="from", min_length=1)]
    metric: Literal["dir", "dir_unique", "dir_valid", "sr", "vr"] = "dir"
    published: str | None = None
    """File of the papers' numbers in workflow/published, shown as marks that say so."""
    published_as: dict[Id, str] = Field(default_factory=dict)
    """Tool -> name of its columns in that file, where that is not its own id."""


class LearningFigure(SubjectTarget):
    """Accuracy and loss after each epoch of training, a panel a network."""

    kind: Literal["learning_curves"]


class LayerFigure(SubjectTarget):
    """How far each layer of the compressed networks is from the original's, a panel a network, a line a compression."""

    kind: Literal["layer_errors"]


class CalibrationTarget(SubjectTarget):
    """What targets over calibrations state."""

    calibrations: Annotated[list[Id], Field(min_length=1)]
    """Each is shown on the inputs of each network."""


class CalibrationTable(CalibrationTarget):
    """Strength of each distortion, and how much of random sampling is valid before and after."""

    kind: Literal["calibration"]
    published: str | None = None
    """File of the papers' numbers in workflow/published, shown beside ours in columns that say so."""


class PsnrFigure(CalibrationTarget):
    """Median PSNR over strength, a panel a network and calibration, a line a distortion."""

    kind: Literal["psnr_curves"]


MadeFrom = Literal["networks", "histories", "compressed", "layers", "calibrations", "metrics"]
"""What a target is made from (``quantrift.config.made_from``)."""

TABLE_KINDS: Mapping[str, MadeFrom] = {
    "models": "networks",
    "compression": "compressed",
    "calibration": "calibrations",
    "compare_to_baseline": "metrics",
}
FIGURE_KINDS: Mapping[str, MadeFrom] = {
    "boxes": "metrics",
    "learning_curves": "histories",
    "layer_errors": "layers",
    "psnr_curves": "calibrations",
}

AnyTarget = Annotated[
    SubjectTable | CalibrationTable | BaselineTable | BoxFigure | LearningFigure | LayerFigure | PsnrFigure,
    Field(discriminator="kind"),
]
