"""Settings of repairs: which compressed networks can be trained on, and how it is done."""

from typing import Annotated

from pydantic import Field

from quantrift.config.compressions import Compression, Rounding, Trained
from quantrift.config.fields import Strict
from quantrift.config.training import Training


class RepairSettings(Strict):
    """How compressed networks are trained on what searches found."""

    dii: Annotated[int, Field(ge=2)] = 10_000
    """Stored difference-inducing inputs of each tool on a subject, drawn from the distinct ones; all where there are
    fewer."""
    clean: Annotated[float, Field(ge=0)] = 1.0
    """Training inputs as they are, for each difference-inducing input trained on; 0 trains on these alone."""
    training: Training = Training(epochs=10, batch=64, learning_rate=0.0001)
    """On both, with the labels that the original gives."""
    seed: int = 0
    """Of the draws of inputs and of the halves."""


def trains(settings: Compression) -> bool:
    """Whether a method trains what it makes, so that it can be trained on."""
    return isinstance(settings, Trained) or (isinstance(settings, Rounding) and settings.form == "trained")
