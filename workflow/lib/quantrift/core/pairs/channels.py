"""Channels of outputs, and those that a compressed network never moves although the original does."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

LONG = 8
"""An output (C, M) has its channels first if there are at least as many times more positions."""
ROUNDING = 1e-6
"""Largest movement, as a share of the size of a channel's values, that rounding in float32 may cause."""
ROUNDING_16 = 1e-3
"""Likewise in float16."""
LEVELS = 4
"""Fewest different values that show a grid."""
NEAR = 0.02
"""Largest distance of a value from its grid, in steps."""
SAMPLE = 2**20
"""Most values of an output that are looked at for its grid."""


@dataclass(frozen=True)
class Dead:
    """A channel that is the same on all inputs in the compressed network, and not in the original."""

    output: str
    channel: str
    moved: int
    """Inputs on which the original's lies farther than ``step`` from its median over the inputs."""
    inputs: int
    step: float
    """Step of the compressed network's output, where its values lie on a grid; otherwise one of rounding."""


def channel_axis(shape: Sequence[int]) -> int:
    """Axis of the channels in values (n, *shape) of an output with at least one axis of its own.

    Channels stand last. They stand first in maps (C, H, H) of two equal sides, and in lists (C, M) of many positions,
    as detectors give them: (84, 8400).
    """
    first_of_map = len(shape) == 3 and shape[1] == shape[2] != shape[0]
    first_of_list = len(shape) == 2 and shape[1] >= LONG * shape[0]
    return 1 if first_of_map or first_of_list else len(shape)


def by_channel(values: np.ndarray) -> np.ndarray:
    """Values (n, ...) of an output as (n, channels, positions)."""
    if values.ndim == 1:
        values = values[:, None]
    first = np.moveaxis(values, channel_axis(values.shape[1:]), 1)
    return first.reshape(*first.shape[:2], int(np.prod(first.shape[2:])))


def ranges(values: np.ndarray) -> np.ndarray:
    """Observed range of each channel of an output (n, ...), greatest minus least value, float64 (channels,).

    A channel that is the same on all inputs has the size of its values in place of a range, so that a share of that is
    a share of something; one that stays 0 has the least range of the others. All are 0 where no channel moves.
    """
    channels = by_channel(values).astype(np.float64)
    size = np.abs(channels).max(axis=(0, 2), initial=0)
    found = np.ptp(channels, axis=(0, 2))
    still = found <= ROUNDING * size
    if still.all():
        return np.zeros_like(found)
    return np.where(still, np.where(size > 0, size, found[~still].min()), found)


def of_values(values: np.ndarray, of_channels: np.ndarray) -> np.ndarray:
    """A number (channels,) of each channel for each value of an input, in the order of ``carried_rows.in_rows``."""
    shape = values.shape[1:] or (1,)
    behind = len(shape) - channel_axis(shape)
    return np.broadcast_to(of_channels.reshape(-1, *[1] * behind), shape).ravel()


def dead_channels(
    original: Mapping[str, np.ndarray], compressed: Mapping[str, np.ndarray], step: float | None = None
) -> list[Dead]:
    """Channels that never move in the compressed network, and move by more than its step in the original.

    Args:
        original: name of each output -> values, (n, channels, positions).
        compressed: likewise.
        step: of the compressed network's output, where it is known; otherwise its values tell it.
    """
    found = []
    for name, first in original.items():
        second = compressed[name]
        size = np.abs(second).max(axis=(0, 2), initial=0)
        places = np.flatnonzero(np.ptp(second, axis=0).max(axis=1, initial=0) <= ROUNDING * size)
        if not len(places):
            continue
        own_step = grid_step(first, second) if step is None else step
        with np.errstate(over="ignore"):
            rounding = ROUNDING_16 if np.array_equal(second, second.astype(np.float16)) else ROUNDING
        for place in places.tolist():
            own = first[:, place].astype(np.float64)
            least = max(own_step, rounding * max(float(np.abs(own).max()), float(size[place])))
            moved = int((np.abs(own - np.median(own, axis=0)) > least).any(axis=1).sum())
            if moved:
                found.append(Dead(name, str(place), moved, len(own), least))
    return found


def grid_step(original: np.ndarray, compressed: np.ndarray) -> float:
    """Step of the grid on which a compressed network's values lie and the original's do not; 0 where there is none.

    Files end in many ways of which the step cannot be read, but values tell it. Values on the grid of the original too,
    as numbers of classes, are whole by nature.
    """
    levels = np.unique(compressed.ravel()[:SAMPLE].astype(np.float64))
    if len(levels) < LEVELS:
        return 0.0
    step = float(np.diff(levels).min())
    for values, wanted in ((levels, True), (original.ravel()[:SAMPLE].astype(np.float64), False)):
        places = (values - levels[0]) / step
        if bool((np.abs(places - np.rint(places)) < NEAR).all()) != wanted:
            return 0.0
    return step
