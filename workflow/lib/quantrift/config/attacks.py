"""Settings of adversarial attacks on originals, and of the table of what their samples do to compressed models."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field

from quantrift.config.base import Id, Strict
from quantrift.config.model_files import ModelFile
from quantrift.config.paths import TFLITE
from quantrift.config.searches import Subjects
from quantrift.config.target import SubjectTarget, Target


class Attack(Strict):
    """What all attacks state. They want the original to give another label than the true one."""

    inputs: Annotated[int, Field(ge=1)] = 10_000
    """Test inputs, drawn without repetition; all where there are fewer."""
    seed: int = 0
    """Of the draw."""
    threads: Annotated[int, Field(ge=1)] = 2
    """Intra-op threads; part of the result, as floating-point sums depend on it, so never taken from the machine."""


class FastGradient(Attack):
    """One step along the sign of the gradient (Goodfellow et al. 2015, FGSM)."""

    method: Literal["fast_gradient"]
    radius: Annotated[float, Field(gt=0, le=1)] = 0.25
    """How far each value moves, in parts of the data's range; theirs for MNIST."""


class CarliniWagner(Attack):
    """The smallest change in the L2 norm that descent finds (Carlini and Wagner 2017, Section VI).

    Theirs searches the constant 9 times for 10,000 steps each, which takes days on 10,000 inputs; TriggerFinder states
    no settings.
    """

    method: Literal["carlini_wagner"]
    searches: Annotated[int, Field(ge=1)] = 5
    """Values of the constant between the two terms of the loss, found by bisection."""
    steps: Annotated[int, Field(ge=1)] = 100
    """Of descent, for each constant."""
    rate: Annotated[float, Field(gt=0)] = 0.05
    """Learning rate, in the space where the data's range is that of tanh."""
    first: Annotated[float, Field(gt=0)] = 1.0
    """The first constant."""
    confidence: Annotated[float, Field(ge=0)] = 0.0
    """By how much the logit of another class must be the larger one (kappa)."""


AnyAttack = Annotated[FastGradient | CarliniWagner, Field(discriminator="method")]


class AdversarialTable(SubjectTarget):
    """On how many adversarial samples of the original it and its compressed model disagree."""

    kind: Literal["adversarial"]
    attacks: Annotated[list[Id], Field(min_length=1)]
    published: str | None = None
    """File of the paper's number in workflow/published, shown beside the mean in a column that says so."""


def mistakes(
    targets: Mapping[str, Target], subjects: Mapping[str, Subjects], files: Mapping[str, ModelFile]
) -> Iterator[str]:
    """One line for each network of such a table that has no gradients to follow."""
    for label, target in targets.items():
        if not isinstance(target, AdversarialTable):
            continue
        for group in target.subjects or ():
            for model in subjects[group].model:
                if model in files and files[model].original.path.endswith(TFLITE):
                    yield (
                        f"targets.{label}.subjects: attacks follow gradients, and models.{model} of '{group}' has a "
                        ".tflite file; leave it out, or give its .keras or .h5 file"
                    )
