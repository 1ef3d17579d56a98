"""Settings of attacks on compressed networks along their own gradients."""

from itertools import pairwise
from typing import Annotated

from pydantic import AfterValidator, Field

from quantrift.core.settings.attacks import Attack
from quantrift.core.settings.fields import Strict
from quantrift.core.settings.references import DatasetId

ATTACKS = ("fgsm", "fgsm_margin", "pgd")
"""Ids of these attacks (``quantrift.core.networks.training.accuracy_under_attack``), in the order of tables."""


def _from_none_upwards(values: list[float]) -> list[float]:
    if values[0] != 0 or any(second <= first for first, second in pairwise(values)):
        raise ValueError(f"strengths start with 0 and ascend, got {', '.join(f'{value:g}' for value in values)}")
    return values


Strengths = Annotated[
    list[Annotated[float, Field(ge=0, le=1)]], Field(min_length=1), AfterValidator(_from_none_upwards)
]
"""Distances that each value may move, in parts of the data's range; 0, no attack, first."""


class ProjectedGradient(Strict):
    """Several steps along the sign of the gradient, kept within the strength (Madry et al. 2018, PGD).

    Without a random start, so that it can be repeated. Beyond the thesis; everything is chosen.
    """

    steps: Annotated[int, Field(ge=1)] = 10
    step: Annotated[float, Field(gt=0, le=1)] = 0.25
    """Length of a step in parts of the strength, as theirs for CIFAR-10; all steps together go 2.5 times as far."""
    inputs: Annotated[int, Field(ge=1)] = 1000
    """Number of attacked inputs, the first ones, as a step costs as much as the whole of FGSM."""


class Robustness(Attack):
    """FGSM, the same along another gradient, and PGD."""

    strengths: Strengths = Field(default_factory=lambda: [0, 0.03, 0.06, 0.1])
    """Strengths of attacks on compressed networks; the thesis's for MNIST (Section 4.2.1)."""
    per_dataset: dict[DatasetId, Strengths] = Field(default_factory=dict)
    """Strengths on other datasets."""
    pgd: ProjectedGradient = ProjectedGradient()

    def strengths_for(self, dataset: str) -> list[float]:
        """The strengths of attacks on one dataset."""
        return self.per_dataset.get(dataset, self.strengths)
