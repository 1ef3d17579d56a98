"""Knowledge distillation: a smaller network learns the outputs of the original (Hinton et al. 2015)."""

from typing import Annotated, Literal

from pydantic import Field

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.training.original import Compressed, Original
from quantrift.core.settings.compressions import Trained
from quantrift.core.settings.fields import Fraction, Id
from quantrift.core.settings.training import Training
from quantrift.study.compression.trainable import Trainable


class Settings(Trained):
    """A smaller network trained on the outputs of the original (Hinton et al. 2015)."""

    method: Literal["distill"] = "distill"
    student: Id | None = None
    """Id of the student's network; the original's own where it is not given."""
    width: Annotated[float, Field(gt=0, le=1)] = 0.5
    """The student's width, in parts of the original's."""
    temperature: Annotated[float, Field(gt=0)] = 4.0
    """Softens both outputs before they are compared."""
    true_labels: Fraction = 0.3
    """Weight of the loss on true labels; the rest is on the original's outputs."""
    training: Training = Training(epochs=20, batch=128, learning_rate=0.001)


def compress(original: Original, inputs: Inputs, settings: Settings) -> Compressed:
    """See ``quantrift.study.compression.distillation``."""
    from quantrift.study.compression.trained import trained

    return trained(trainable, original, inputs, settings)


def trainable(original: Original, inputs: Inputs, settings: Settings) -> Trainable:
    """See ``quantrift.study.compression.distillation``."""
    from quantrift.study.compression import distillation

    return distillation.trainable(
        original,
        inputs,
        settings.student,
        settings.width,
        settings.training.seed,
        true_labels=settings.true_labels,
        temperature=settings.temperature,
    )
