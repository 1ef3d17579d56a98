"""An original network and its compressed model, ready to run."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from quantrift.core.base.errors import refuse
from quantrift.core.networks.batches import Runtime, Sized

BATCH = 256
"""Inputs that a network runs at once at most, unless a search asks for more."""


@dataclass(frozen=True, eq=False)
class Outputs:
    """Outputs of both networks on n inputs."""

    original: np.ndarray
    """Logits of the original, float32 (n, K)."""
    compressed: np.ndarray
    """Logits of the compressed network, float32 (n, K)."""
    neurons_original: np.ndarray | None = None
    """Values of the original's neurons that both networks have, float32 (n, M), where asked for: a channel's mean over
    its places, or a unit's value."""
    neurons_compressed: np.ndarray | None = None
    """Values of the compressed network's neurons, in the same order."""
    targets: np.ndarray | None = None
    """Target class of the search of each input, int64 (n,), -1 where it has none; None where no search has one. Set by
    the evaluator, not by a network."""


class Networks(Protocol):
    """Both networks at once; the outputs for one input must not depend on the others in its batch."""

    def __call__(self, x: np.ndarray) -> Outputs:
        """Run ``x``, float32 (n, H, W, C); n may be 0."""
        ...


@dataclass(frozen=True)
class Pair:
    """Two networks for the same inputs and classes."""

    original: Runtime
    compressed: Runtime
    profile: None = None
    """No values of neurons."""

    def __call__(self, x: np.ndarray) -> Outputs:
        """See ``Networks``."""
        return Outputs(self.original(x), self.compressed(x))


@dataclass(frozen=True)
class Loaded:
    """Networks that are given to a run by who calls it; ``None`` stands for one that is loaded from its file.

    Under a task they give the values of their outputs (``ValuesRuntime``).
    """

    original: Runtime | None = None
    compressed: Runtime | None = None

    @property
    def roles(self) -> list[str]:
        """Those that are given: ``original``, ``compressed``."""
        return [name for name, network in vars(self).items() if network is not None]


FROM_FILES = Loaded()
"""Both networks are loaded from files."""


@dataclass(frozen=True, kw_only=True)
class PairFiles:
    """Files of two networks, and what is known of them."""

    original: Path
    compressed: Path
    original_runtime: str = "litert"
    """Runtime of the original's file."""
    compressed_runtime: str | None = None
    """Runtime of the compressed network's file; ``None`` for the one that its name tells."""
    loaded: Loaded = FROM_FILES
    """Networks that have no file, or whose file is not read: they are called in this process."""
    task: Path | None = None
    """What agreement of the two networks means, where that is not the same label."""
    outputs: dict[int, np.ndarray] | None = None
    """The original's outputs on batches that were run before, which searches of several compressed networks share."""


class Opening(Protocol):
    """A module that opens pairs: ``own_pair`` those made here, ``given_pair`` any.

    A search names the one it needs, and loads it by its name: searches of networks made here do not depend on code that
    reads other files.
    """

    NEURONS: str
    """Module whose class ``Neurons`` reads the values of a network's neurons."""

    def load(self, files: PairFiles, batch: int) -> Pair:
        """The pair, whose networks run ``batch`` inputs at once at most.

        Raises:
            QuantriftError: a file cannot be read, or the two models do not fit each other.
        """
        ...

    def packages(self, files: PairFiles) -> Sequence[str]:
        """Packages whose versions the outputs depend on, LiteRT's first."""
        ...

    def digest(self, path: Path) -> str:
        """SHA-256 of a file of a search, with the files that belong to it."""
        ...


def check_fit(first: Sized, second: Sized, original: Path, compressed: Path) -> None:
    """Refuse networks for other inputs or classes; the paths are for messages."""
    refuse(
        (
            (first.input_shape, first.classes) != (second.input_shape, second.classes),
            f"{compressed}: made for inputs {second.input_shape} and {second.classes} classes, but {original} has "
            f"{first.input_shape} and {first.classes}; give two models for the same data",
        ),
    )
