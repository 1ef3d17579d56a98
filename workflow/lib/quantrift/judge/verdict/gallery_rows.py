"""Rows of a gallery: a seed input, what was found and where they differ, drawn as what they are."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from quantrift.core.base.inputs import CARRIED, Inputs, MeasuredStack
from quantrift.core.page.false_colour import channels, side_by_side
from quantrift.core.page.style import COLOURS, INK

LINES = 6
"""Most channels of a signal that are drawn as lines; more are a spectrogram."""
FEATURES = 8
"""Most changed features that are listed."""
VALUES = 4
"""Most values of a carried input that are listed."""
WIDEST = 16
"""Characters of the name of a feature."""


def titles(inputs: Inputs) -> tuple[str, ...]:
    """Titles of the three columns."""
    table = isinstance(inputs, MeasuredStack) and inputs.kind == "table"
    return ("changed features", "", "") if table else ("seed input", "found", "difference")


def draw(axes: Sequence[Axes], seed: np.ndarray, after: np.ndarray, inputs: Inputs) -> None:
    """Fill the first three axes of a row.

    Args:
        axes: at least three.
        seed: float32 (H, W, C).
        after: likewise.
        inputs: where they come from.
    """
    if not isinstance(inputs, MeasuredStack):
        side_by_side(axes, seed, after, channels(seed.shape[2], None, ""), inputs)
    elif inputs.kind == "table":
        _features(axes, seed[0, 0], after[0, 0], inputs)
    elif seed.shape[2] <= LINES:
        _lines(axes, seed[0], after[0])
    else:
        _spectrogram(axes, seed[0], after[0])


def carried_lines(arrays: Mapping[str, np.ndarray], row: int) -> list[str]:
    """Lines on the values that were carried along with an input, of networks with several inputs.

    Args:
        arrays: content of the file of difference-inducing inputs.
        row: of the input there.
    """
    found = []
    for name, values in arrays.items():
        if name.startswith(CARRIED):
            own = values[row].ravel()
            more = f" and {own.size - VALUES} more" if own.size > VALUES else ""
            found.append(f"{name.removeprefix(CARRIED)}: {', '.join(f'{one:.4g}' for one in own[:VALUES])}{more}")
    return found


def _lines(axes: Sequence[Axes], seed: np.ndarray, after: np.ndarray) -> None:
    """Signals (T, C) as a line for each channel, both between the same ends; their difference has ends of its own."""
    ends = min(seed.min(), after.min()), max(seed.max(), after.max())
    room = 0.05 * (ends[1] - ends[0]) or 1.0
    for axis, signal in zip(axes, (seed, after, after - seed), strict=False):
        for channel, values in enumerate(signal.T):
            axis.plot(values, color=COLOURS[channel % len(COLOURS)], linewidth=0.7)
        axis.tick_params(labelsize=6)
    for axis in axes[:2]:
        axis.set_ylim(ends[0] - room, ends[1] + room)


def _spectrogram(axes: Sequence[Axes], seed: np.ndarray, after: np.ndarray) -> None:
    """Signals (T, C) of many channels as a map, time to the right and channels upwards."""
    low, high = min(seed.min(), after.min()), max(seed.max(), after.max())
    difference = np.abs(after - seed)
    for axis, values, ends, colours in (
        (axes[0], seed, (low, high), "viridis"),
        (axes[1], after, (low, high), "viridis"),
        (axes[2], difference, (0.0, difference.max() or 1.0), "magma"),
    ):
        # Not interpolated, so that an SVG holds the values themselves.
        axis.imshow(
            values.T, cmap=colours, vmin=ends[0], vmax=ends[1], interpolation="none", origin="lower", aspect="auto"
        )
        axis.set(xticks=[], yticks=[])
        axis.grid(visible=False)
        axis.spines[:].set(visible=True, color=INK, linewidth=0.5)
    axes[2].set_xlabel(f"at most {difference.max():.2g}", fontsize=7)


def _features(axes: Sequence[Axes], seed: np.ndarray, after: np.ndarray, inputs: MeasuredStack) -> None:
    """Rows of a table (F,) as a list of the features that changed, those that changed most for their range first."""
    for axis in axes[:3]:
        axis.set_axis_off()
    low, high = np.array(inputs.channel_ranges).T
    share = np.abs(after - seed) / np.where(high > low, high - low, 1)
    order = np.argsort(-share, kind="stable")
    shown = [place for place in order.tolist() if share[place] > 0]
    lines = [
        f"{_name(inputs, place):<{WIDEST}} {seed[place]:>10.4g} → {after[place]:<10.4g} {share[place]:.1%} of its range"
        for place in shown[:FEATURES]
    ]
    if len(shown) > FEATURES:
        lines.append(f"and {len(shown) - FEATURES} more")
    text = "\n".join(lines) or "nothing changed"
    axes[0].text(0, 1, text, transform=axes[0].transAxes, va="top", fontsize=7, family="monospace")


def _name(inputs: MeasuredStack, place: int) -> str:
    name = inputs.names[place] if inputs.names else f"feature {place}"
    return name if len(name) <= WIDEST else f"{name[: WIDEST - 1]}…"
