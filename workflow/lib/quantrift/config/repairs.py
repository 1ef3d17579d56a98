"""Settings of repairs: which compressed networks can be trained on, and how it is done."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field

from quantrift.config.base import Id, Strict
from quantrift.config.compressions import Compression, Distill, Prune, Qat, Rounding
from quantrift.config.searches import Experiment, Subjects
from quantrift.config.target import Target
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


class RepairTable(Target):
    """How many disagreements are gone after training on others, and what that costs."""

    kind: Literal["repair"]
    from_: Annotated[list[Id], Field(alias="from", min_length=1)]
    """Experiments whose searches are used, on compressions that are trained."""
    tools: list[Id] | None = None
    """Of these tools alone; all that the experiments have where it is not given."""


def trains(settings: Compression) -> bool:
    """Whether a method trains what it makes, so that it can be trained on."""
    return isinstance(settings, Qat | Prune | Distill) or (
        isinstance(settings, Rounding) and settings.form == "trained"
    )


def mistakes(
    targets: Mapping[str, Target],
    experiments: Mapping[str, Experiment],
    subjects: Mapping[str, Subjects],
    compressions: Mapping[str, Compression],
) -> Iterator[str]:
    """One line for each experiment of a repair with a compressed network that cannot be trained on."""
    able = ", ".join(name for name, settings in compressions.items() if trains(settings))
    for label, target in targets.items():
        if not isinstance(target, RepairTable):
            continue
        for name in target.from_:
            for compression in subjects[experiments[name].subjects].compression:
                settings = compressions.get(compression)
                if settings is None or not trains(settings):
                    reason = "is a file" if settings is None else f"method {settings.method} does not train"
                    if isinstance(settings, Rounding):
                        reason = f"form {settings.form} does not train; take form: trained"
                    yield (
                        f"targets.{label}.from: experiment '{name}' searches '{compression}', which cannot be trained "
                        f"on ({reason}); valid: {able}"
                    )
