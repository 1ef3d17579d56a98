"""Inputs and outputs of a network's file by name, before a runtime is told which of them count."""

from collections.abc import Sequence
from dataclasses import dataclass

from quantrift.core.networks.graphs.named_inputs import NamedInput


@dataclass(frozen=True)
class Ends:
    """All inputs and outputs of a file, in its order."""

    inputs: Sequence[NamedInput]
    outputs: Sequence[str]
    """By the names by which users know them."""
