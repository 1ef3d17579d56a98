"""Constraints on gradient steps: light, occlusion and blackout change part of an image (DeepXplore §6.1)."""

import numpy as np

Place = tuple[slice, slice]


def drawn(image: tuple[int, ...], side: int, rng: np.random.Generator) -> Place:
    """Rows and columns of a square somewhere in an image (H, W, C), cut where the image is smaller."""
    corner = [int(rng.integers(max(0, length - side) + 1)) for length in image[:2]]
    return slice(corner[0], corner[0] + side), slice(corner[1], corner[1] + side)


def light(gradient: np.ndarray) -> np.ndarray:
    """All values of a gradient (G,) become their mean: the image gets brighter or darker."""
    return np.full_like(gradient, gradient.mean())


def occluded(gradient: np.ndarray, image: tuple[int, ...], place: Place) -> np.ndarray:
    """The gradient (G,) at one place of an image (H, W, C), 0 elsewhere."""
    change = np.zeros(image, gradient.dtype)
    change[place] = gradient.reshape(image)[place]
    return change.ravel()


def blackened(gradient: np.ndarray, image: tuple[int, ...], place: Place) -> np.ndarray:
    """-1 at one place of an image (H, W, C) if the mean gradient (G,) there is negative; else 0."""
    change = np.zeros(image, gradient.dtype)
    if gradient.reshape(image)[place].mean() < 0:
        change[place] = -1
    return change.ravel()
