"""Settings of adversarial attacks: on originals, and on compressed networks along their own gradients."""

from itertools import pairwise
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from quantrift.core.settings.fields import Strict
from quantrift.core.settings.references import DatasetId


class Attack(Strict):
    """Settings of all attacks. An attack succeeds where the original gives another label than the true one."""

    inputs: Annotated[int, Field(ge=1)] = 10_000
    """Test inputs, drawn without repetition; all where there are fewer."""
    seed: int = 0
    """Seed of the draw."""
    threads: Annotated[int, Field(ge=1)] = 2
    """Intra-op threads; part of the result, as floating-point sums depend on it, so never taken from the machine."""


class FastGradient(Attack):
    """One step along the sign of the gradient (Goodfellow et al. 2015, FGSM)."""

    method: Literal["fast_gradient"]
    radius: Annotated[float, Field(gt=0, le=1)] = 0.25
    """Distance that each value moves, in parts of the data's range; the default is theirs for MNIST."""


class CarliniWagner(Attack):
    """The smallest change in the L2 norm that descent finds (Carlini and Wagner 2017, Section VI).

    Theirs searches the constant 9 times for 10,000 steps each, which takes days on 10,000 inputs; TriggerFinder states
    no settings.
    """

    method: Literal["carlini_wagner"]
    searches: Annotated[int, Field(ge=1)] = 5
    """Values of the constant between the two terms of the loss, found by bisection."""
    steps: Annotated[int, Field(ge=1)] = 100
    """Steps of descent for each constant."""
    rate: Annotated[float, Field(gt=0)] = 0.05
    """Learning rate, in the space where the data's range is that of tanh."""
    first: Annotated[float, Field(gt=0)] = 1.0
    """The first constant."""
    confidence: Annotated[float, Field(ge=0)] = 0.0
    """Margin by which the logit of another class must exceed the true one (kappa)."""


AnyAttack = Annotated[FastGradient | CarliniWagner, Field(discriminator="method")]

ATTACKS = ("fgsm", "fgsm_margin", "pgd")
"""Ids of attacks along the gradient of a compressed network, in the order of tables
(``quantrift.core.networks.training.accuracy_under_attack``)."""


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
