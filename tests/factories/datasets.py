"""Datasets as a configuration states them, where only their names matter."""

from collections.abc import Sequence

from quantrift.study.datasets.kinds.embedded_digits import Settings as EmbeddedDigits
from quantrift.study.datasets.kinds.simulated_scene import Settings as SimulatedScene


def digits(
    published_as: str | None = None, title: str = "Digits", classes: Sequence[str] = "0123456789"
) -> EmbeddedDigits:
    """The digits, by default as the demo has them, whose published numbers are those of ``published_as``."""
    return EmbeddedDigits(kind="embedded_digits", title=title, published_as=published_as, class_names=list(classes))


def scene(
    published_as: str | None = None, title: str = "City (simulated)", classes: Sequence[str] = ("soil",)
) -> SimulatedScene:
    """A simulated scene of 16 bands, whose published numbers are those of ``published_as``."""
    return SimulatedScene(
        kind="simulated_scene", title=title, published_as=published_as, class_names=list(classes), bands=16
    )
