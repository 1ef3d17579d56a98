"""False-colour pictures of inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from quantrift.core.base.errors import refuse
from quantrift.core.base.inputs import ImageStack, Inputs
from quantrift.core.page import drawing as mpl
from quantrift.core.page.style import INK

SHOWN = (1, 99)
"""Percentiles of a channel between which its colour runs; single pixels that were distorted strongly lie outside."""


def channels(count: int, named: tuple[int, int, int] | None, network: str) -> tuple[int, ...]:
    """Channels that are shown as red, green and blue, or the only one of grey inputs.

    Raises:
        QuantriftError: if a channel is named that there is not.
    """
    if named is None:
        return (count * 5 // 6, count // 2, count // 6) if count > 3 else (0,) if count == 2 else tuple(range(count))
    refuse(
        (
            max(named) >= count or min(named) < 0,
            f"channels.{network}: inputs have channels 0 to {count - 1}, got {list(named)}; change it",
        )
    )
    return named


def pictures(pair: np.ndarray, shown: tuple[int, ...], inputs: Inputs) -> np.ndarray:
    """Two inputs as pictures whose colours compare.

    Args:
        pair: float32 (2, H, W, C).
        shown: channels of red, green and blue, or one.
        inputs: where they come from: images are shown between their own black and white; channels of scenes between
            percentiles over both inputs.

    Returns:
        float64 (2, H, W) for one channel, else (2, H, W, 3), in [0, 1].
    """
    chosen = pair[..., list(shown)].astype(np.float64)
    if isinstance(inputs, ImageStack):
        every = np.ones(pair.shape[-1])
        low, high = (edge[list(shown)] for edge in (inputs.black * every, inputs.white * every))
    else:
        low, high = np.percentile(chosen, SHOWN, axis=(0, 1, 2))
    scaled = np.clip((chosen - low) / np.where(high > low, high - low, 1.0), 0, 1)
    return scaled[..., 0] if len(shown) == 1 else scaled


def side_by_side(
    axes: Sequence[mpl.Axes], seed: np.ndarray, after: np.ndarray, bands: tuple[int, ...], inputs: Inputs
) -> None:
    """Fill the first three axes: a seed input, float32 (H, W, C), what was made of it, and where they differ."""
    for shown, axis in zip(pictures(np.stack([seed, after]), bands, inputs), axes, strict=False):
        picture(axis, shown, "gray", (0, 1.0))
    difference = np.abs(after - seed).mean(axis=2, dtype=np.float64)
    picture(axes[2], difference, "magma", (0, float(difference.max()) or 1.0))
    axes[2].set_xlabel(f"at most {difference.max():.3g}", fontsize=7)


def picture(axis: mpl.Axes, values: np.ndarray, colours: str, ends: tuple[float, float], **layout: Any) -> None:
    """Draw values between two ends as a picture; ``layout`` goes to ``imshow``."""
    # Not interpolated, so that an SVG holds the values themselves.
    axis.imshow(values, cmap=colours, vmin=ends[0], vmax=ends[1], interpolation="none", **layout)
    axis.set(xticks=[], yticks=[])
    axis.grid(visible=False)
    axis.spines[:].set(visible=True, color=INK, linewidth=0.5)
