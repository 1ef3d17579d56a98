"""What cameras, light and hands do to images: the distortions of the space ``image_distortions``, on whole batches.

Each row depends on its image and its own parameters alone: nothing here reduces or multiplies across rows, and
functions whose last bits depend on a number's place in an array are called one by one.
"""

from math import cos, exp, radians, sin

import numpy as np

REACH = 5
"""Pixels that a blur looks at to each side; 2.5 standard deviations of the widest."""


def moved(images: np.ndarray, shift: np.ndarray, degrees: np.ndarray, zoom: np.ndarray) -> np.ndarray:
    """Images shifted, turned and zoomed about their middle, by one bilinear lookup; they go on as their edges are.

    Args:
        images: float32 (k, H, W, C).
        shift: float64 (k, 2), down and right, in pixels.
        degrees: float64 (k,), counter-clockwise.
        zoom: float64 (k,), factor on lengths; above 0.

    Returns:
        float32 (k, H, W, C), C-contiguous.
    """
    count, height, width, channels = images.shape
    factors = [(cos(radians(angle)), sin(radians(angle))) for angle in degrees.tolist()]
    turn = np.array(factors).reshape(count, 2) / zoom[:, None]
    y, x = (np.arange(side) - (side - 1) / 2 for side in (height, width))
    y, x = y[None, :, None] - shift[:, 0, None, None], x[None, None, :] - shift[:, 1, None, None]
    real, imaginary = turn[:, 0, None, None], turn[:, 1, None, None]
    lines, down = _between(real * y + imaginary * x + (height - 1) / 2, height)
    columns, right = _between(real * x - imaginary * y + (width - 1) / 2, width)
    flat = images.reshape(-1, channels)
    first = (np.arange(count) * height * width)[:, None, None]
    corners = [flat.take(first + line * width + column, axis=0) for line in lines for column in columns]
    upper = corners[0] + (corners[1] - corners[0]) * right
    lower = corners[2] + (corners[3] - corners[2]) * right
    found: np.ndarray = upper + (lower - upper) * down
    return found


def _between(place: np.ndarray, side: int) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
    """The two neighbours of each place on a side, int (k, H, W), and the share of the second, float32 (k, H, W, 1)."""
    place = np.clip(place, 0, side - 1)
    before = np.floor(place).astype(np.intp)
    share = (place - before).astype(np.float32)
    return (before, np.minimum(before + 1, side - 1)), share[..., None]


def blurred(images: np.ndarray, sigma: np.ndarray) -> np.ndarray:
    """Images (k, H, W, C) after a Gaussian blur of standard deviations (k,), in pixels; float32.

    They go on beyond their borders as their edges are.
    """
    taps = [
        [exp(-(step**2) / (2 * max(one, 1e-3) ** 2)) for step in range(-REACH, REACH + 1)] for one in sigma.tolist()
    ]
    weights = np.array([[tap / sum(row) for tap in row] for row in taps], np.float32)
    for axis in (1, 2):
        pad = [(0, 0)] * 4
        pad[axis] = (REACH, REACH)
        wide = np.pad(images, pad, mode="edge")
        images = np.zeros_like(images)
        for step in range(2 * REACH + 1):
            part = wide[:, step : step + images.shape[1]] if axis == 1 else wide[:, :, step : step + images.shape[2]]
            images += weights[:, step, None, None, None] * part
    return images


def noise(shape: tuple[int, ...], patterns: np.ndarray) -> np.ndarray:
    """Standard normal noise, float32 (k, *shape), of each pattern's number, int (k,)."""
    drawn = [np.random.Generator(np.random.PCG64(one)).standard_normal(shape, np.float32) for one in patterns.tolist()]
    return np.stack(drawn)
