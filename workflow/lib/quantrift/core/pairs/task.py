"""Tasks: the definition of agreement between a network and its compressed version, one for each kind of network.

A task measures, for each input, how far the outputs of both networks differ, in units of its tolerance: they agree if
that is at most 1. The module ``quantrift.core.pairs.tasks.<name>`` is the task ``<name>``.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any, ClassVar, Self

import numpy as np

from quantrift.core.base import plugins
from quantrift.core.base.carried_rows import in_rows
from quantrift.core.base.errors import check_name, refuse
from quantrift.core.pairs.channels import Dead

FOLDER = "quantrift.core.pairs.tasks"
CLASSIFY = "classify"
"""The task that is compared by labels, as the workflow does; it wraps no network."""
BEYOND = np.nextafter(1.0, 2.0)
"""Least difference that is no agreement."""

Outputs = Mapping[str, np.ndarray]
"""Name of each output -> values, float32 (n, ...)."""


@dataclass(frozen=True)
class Part:
    """One output, or one class of them, on the inputs as given."""

    name: str
    differing: int
    """Inputs, labels or boxes of it on which the networks do not agree; ``of`` them in all."""
    of: int
    mean: float | None
    """Mean of the absolute difference over the inputs; ``None`` where it is not defined."""
    largest: float | None
    unit: str
    """What ``mean`` and ``largest`` are counted in, and what is counted."""


class Task(ABC):
    """Agreement of two networks, by settings that can be written as JSON. Every row depends on itself alone."""

    DIFFERS: ClassVar[str]
    """What an input is on which the networks do not agree, in words: '... of the inputs ...'."""
    ACCURACY: ClassVar[str] = ""
    """Name of the share of the inputs whose output is right; empty where no truth is known."""
    RIGHT: ClassVar[str] = ""
    """What an output is that is right, in words, where truth is given."""

    @property
    def name(self) -> str:
        """Name of the task: that of its module."""
        return type(self).__module__.rpartition(".")[2]

    def settled(self, original: Outputs, compressed: Outputs) -> Self:
        """The same with everything settled that depends on the networks, from their outputs on the inputs as given.

        Raises:
            QuantriftError: one line, if the outputs are none of the task.
        """
        return self

    @property
    @abstractmethod
    def definition(self) -> str:
        """The definition of agreement on one line, with all numbers."""

    @abstractmethod
    def difference(self, original: Outputs, compressed: Outputs) -> np.ndarray:
        """Difference of the outputs in units of the tolerance, float64 (n,); they agree if it is at most 1."""

    @abstractmethod
    def checked(self, truth: np.ndarray, outputs: Outputs) -> np.ndarray:
        """True outputs as ``right`` takes them, float32 (n, ...), from an array that a user gave.

        Raises:
            QuantriftError: they do not fit the outputs.
        """

    @abstractmethod
    def right(self, outputs: Outputs, truth: np.ndarray, of_compressed: bool) -> np.ndarray:
        """Whether the outputs of one of the networks are right, bool (n,); ``truth`` is what ``checked`` returned."""

    def parts(self, original: Outputs, compressed: Outputs) -> Sequence[Part]:
        """Differences of each output on the inputs as given; none where nobody knows them or another table tells."""
        return ()

    def dead(self, original: Outputs, compressed: Outputs) -> Sequence[Dead]:
        """Channels of the outputs that move in the original alone, on some inputs; none where nobody knows them."""
        return ()


def names() -> tuple[str, ...]:
    """The tasks there are, sorted; none is imported."""
    return plugins.names(FOLDER)


def usage() -> str:
    """One line on each task, for help texts."""
    return "; ".join(f"{name}: {plugins.load(FOLDER, name).MEANING}" for name in names())


def task_of(name: str, settings: Mapping[str, Any]) -> Task:
    """The task of a name with its settings.

    Raises:
        QuantriftError: there is no such task, or it has no such settings.
    """
    check_name(f"there is no task '{name}'", name, names())
    kind: Callable[..., Task] = plugins.load(FOLDER, name).Settings
    fields = signature(kind).parameters
    refuse(
        *(
            (setting not in fields, f"task '{name}' has no setting '{setting}'; it has {', '.join(fields) or 'none'}")
            for setting in settings
        )
    )
    return kind(**{name: tuple(one) if isinstance(one, list) else one for name, one in settings.items()})


def beyond(differs: np.ndarray, difference: np.ndarray) -> np.ndarray:
    """``difference``, float64 (n, ...), moved to the side of 1 that ``differs``, bool (n, ...), says.

    Rounding of a quotient may not decide about agreement.
    """
    return np.asarray(np.where(differs, np.maximum(difference, BEYOND), np.minimum(difference, 1.0)))


def flat(outputs: Outputs) -> np.ndarray:
    """All values of each input in one row, float64 (n, K)."""
    return np.concatenate([in_rows(values) for values in outputs.values()], axis=1).astype(np.float64)
