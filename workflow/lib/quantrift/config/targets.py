"""Settings of targets: the tables and figures one can ask for by name."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from quantrift.config.attacks import AdversarialTable
from quantrift.config.base import Id
from quantrift.config.bit_targets import (
    AccuracyFigure,
    AccuracyTable,
    DistributionTable,
    RobustnessFigure,
    RobustnessTable,
    ShareFigure,
    SignificanceTable,
)
from quantrift.config.comparison_targets import (
    BaselineTable,
    BoxFigure,
    DifferenceTable,
    FirstAttackTable,
    GroupTable,
)
from quantrift.config.diffchaser_targets import (
    SuccessFigure,
    SuccessTable,
    TargetedFigure,
    TargetedTable,
    UncertaintyFigure,
    UncertaintyTable,
)
from quantrift.config.dii_targets import DiiLayerFigure, GalleryFigure
from quantrift.config.divergence_targets import DivergenceTable
from quantrift.config.hypotheses import FindingsTable
from quantrift.config.name_lists import Targets
from quantrift.config.record_targets import ActivationTable, CooccurrenceFigure, DistanceTable, MinimalTable, TsneFigure
from quantrift.config.repairs import RepairTable
from quantrift.config.target import SubjectTarget, Target
from quantrift.config.triggerfinder_targets import QueryFigure, QueryTable


class SubjectTable(SubjectTarget):
    """A table over networks or compressed models: accuracies, sizes, audits."""

    kind: Literal["models", "compression"]
    published: list[str] = Field(default_factory=list)
    """Files of the papers' numbers in workflow/published, shown beside ours in columns that say so."""
    published_rows: bool | Literal["all"] = False
    """Whether rows that only the papers have follow, with our columns empty: of the datasets that the table shows, or
    of ``all`` that the papers have."""


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


class SettingsTable(Target):
    """Settings of tools side by side, as the configuration resolves them."""

    kind: Literal["settings"]
    frameworks: Annotated[dict[str, list[Id]], Field(min_length=1)]
    """Name of a framework -> its tools, a column each; one without tools has an empty column."""
    protocol: Id
    """Under which they are compared."""
    published: str | None = None
    """File of the paper's words in workflow/published, shown beside ours in columns that say so."""


class Collection(Target):
    """Several targets under one name."""

    kind: Literal["collection"]
    targets: Annotated[Targets, Field(min_length=1)]
    """Tables and figures; a collection holds no other. ``*`` stands for any letters of a name, and such a pattern for
    all that it fits, in the order in which they are stated."""


MadeFrom = Literal[
    "networks",
    "histories",
    "compressed",
    "layers",
    "calibrations",
    "metrics",
    "searches",
    "decoded",
    "decoded_searches",
    "dii_layers",
    "records",
    "shrunk",
    "repaired",
    "verdicts",
    "findings",
    "divergence",
    "bits",
    "bits_drawn",
    "bits_attacked",
    "nothing",
]
"""What a target is made from (``quantrift.plan.made_from``)."""

TABLE_KINDS: Mapping[str, MadeFrom] = {
    "models": "networks",
    "compression": "compressed",
    "calibration": "calibrations",
    "compare_to_baseline": "metrics",
    "compare_groups": "metrics",
    "difference_counts": "metrics",
    "first_attack": "searches",
    "success_rates": "searches",
    "uncertainty_tests": "searches",
    "targeted": "searches",
    "queries": "searches",
    "settings": "nothing",
    "activation": "records",
    "minimal_distortions": "shrunk",
    "repair": "repaired",
    "adversarial": "verdicts",
    "vector_distances": "records",
    "findings": "findings",
    "divergence": "divergence",
    "bit_distributions": "bits_drawn",
    "bit_accuracies": "bits",
    "bit_significance": "bits",
    "bit_robustness": "bits_attacked",
}
FIGURE_KINDS: Mapping[str, MadeFrom] = {
    "boxes": "metrics",
    "learning_curves": "histories",
    "layer_errors": "layers",
    "psnr_curves": "calibrations",
    "gallery": "decoded",
    "success_curves": "searches",
    "uncertainty_boxes": "searches",
    "targeted_grid": "decoded_searches",
    "query_histograms": "searches",
    "layer_errors_dii": "dii_layers",
    "cooccurrence": "records",
    "tsne": "records",
    "bit_shares": "nothing",
    "accuracy_by_bits": "bits",
    "robustness_by_strength": "bits_attacked",
}

AnyTarget = Annotated[
    SubjectTable
    | CalibrationTable
    | BaselineTable
    | GroupTable
    | DifferenceTable
    | FirstAttackTable
    | SuccessTable
    | SuccessFigure
    | UncertaintyTable
    | UncertaintyFigure
    | TargetedTable
    | TargetedFigure
    | QueryTable
    | QueryFigure
    | SettingsTable
    | BoxFigure
    | LearningFigure
    | LayerFigure
    | PsnrFigure
    | GalleryFigure
    | DiiLayerFigure
    | CooccurrenceFigure
    | ActivationTable
    | MinimalTable
    | RepairTable
    | AdversarialTable
    | DistanceTable
    | TsneFigure
    | FindingsTable
    | DivergenceTable
    | DistributionTable
    | ShareFigure
    | AccuracyTable
    | AccuracyFigure
    | SignificanceTable
    | RobustnessTable
    | RobustnessFigure
    | Collection,
    Field(discriminator="kind"),
]
