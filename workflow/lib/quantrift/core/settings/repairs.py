"""Settings of repairs: compressed networks trained further on difference-inducing inputs."""

from typing import Annotated

from pydantic import Field

from quantrift.core.settings.compressions import Compression, Rounding, Trained
from quantrift.core.settings.fields import Strict
from quantrift.core.settings.training import Training


class RepairSettings(Strict):
    """Settings of the training of compressed networks on difference-inducing inputs."""

    dii: Annotated[int, Field(ge=2)] = 10_000
    """Stored difference-inducing inputs of each tool on a subject, drawn from the distinct ones; all where there are
    fewer."""
    clean: Annotated[float, Field(ge=0)] = 1.0
    """Unchanged training inputs per difference-inducing input; 0 trains on the latter alone."""
    training: Training = Training(epochs=10, batch=64, learning_rate=0.0001)
    """Training on both kinds of inputs, with the labels that the original gives."""
    seed: int = 0
    """Seed of the draws of inputs and of the halves."""


def trains(settings: Compression) -> bool:
    """Whether a method trains its result, so that training can continue."""
    return isinstance(settings, Trained) or (isinstance(settings, Rounding) and settings.form == "trained")
