"""Settings of adversarial attacks on originals and of the table over their samples."""

from typing import Annotated, Literal

from pydantic import Field

from quantrift.core.settings.fields import Strict


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
