"""Mutation operators for 8-bit images, from TriggerFinder's public tool (the paper says: those of DiffChaser).

Each takes an image, uint8 (H, W, C), which it leaves as it is, draws its own parameters, and returns a new one. Sums
and products are cast to 8 bits as that tool casts them on x86: truncated towards zero, then modulo 256.
"""

from collections.abc import Callable

import numpy as np

from quantrift.core.search.libraries.installed import opencv

Operator = Callable[[np.ndarray, np.random.Generator], np.ndarray]


def additive_noise(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Add Gaussian noise of a standard deviation of a third of a level."""
    return _cast(image + np.sqrt(0.1) * rng.standard_normal(image.shape))


def salt_and_pepper(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Set 0.2 % of the values to 255, then as many to 0; places may repeat."""
    mutated = image.copy()
    count = int(np.ceil(0.004 * image.size / 2))
    for value in (255, 0):
        # Equally likely lines, columns and channels are equally likely places.
        mutated.reshape(-1)[rng.integers(image.size, size=count)] = value
    return mutated


def multiplicative_noise(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Add to each value its product with Gaussian noise, whose mean and variance, up to 0.05, are drawn."""
    mean = rng.random() - 0.5
    noise = rng.standard_normal(image.shape)
    noise *= np.sqrt(0.05 * rng.random())
    noise += mean
    return _cast(image + image * noise)


def pixel_change(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Set up to nine values, possibly none, to any others; the last counts where places repeat."""
    mutated = image.copy()
    count = int(rng.integers(9 + 1))
    mutated.reshape(-1)[rng.integers(image.size, size=count)] = rng.integers(256, size=count)
    return mutated


def box_blur(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Mean over a square with sides of one to five pixels."""
    side = int(rng.integers(1, 6))
    return opencv().blur(image, (side, side)).reshape(image.shape)


def gaussian_blur(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Gaussian mean over a square with sides of 1, 3, 5 or 7 pixels, whose deviation follows from the sides."""
    side = _odd(rng)
    return opencv().GaussianBlur(image, (side, side), 0).reshape(image.shape)


def median_blur(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Median over a square with sides of 1, 3, 5 or 7 pixels."""
    return opencv().medianBlur(image, _odd(rng)).reshape(image.shape)


OPERATORS: tuple[Operator, ...] = (
    additive_noise,
    salt_and_pepper,
    multiplicative_noise,
    pixel_change,
    box_blur,
    gaussian_blur,
    median_blur,
)
CHANNELS = (1, 3, 4)
"""Channels of the images whose median OpenCV computes."""


def _cast(values: np.ndarray) -> np.ndarray:
    """Values float64 within 32 bits as uint8; C leaves the direct cast of negative values undefined."""
    return values.astype(np.int32).astype(np.uint8)


def _odd(rng: np.random.Generator) -> int:
    return 1 + 2 * int(rng.integers(4))
