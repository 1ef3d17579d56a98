"""Images that stand for a dataset."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from tests.factories import datasets

from quantrift.core.base.inputs import ImageStack
from quantrift.study.datasets.kinds import embedded_digits
from quantrift.study.datasets.official import Places

NONE = np.empty(0, np.int64)
"""No input."""


def images(
    pixels: np.ndarray,
    labels: np.ndarray | None = None,
    names: Sequence[str] = "abc",
    *,
    dataset: str = "some",
    train: np.ndarray = NONE,
    validation: np.ndarray = NONE,
    test: np.ndarray | None = None,
    **more: Any,
) -> ImageStack:
    """Images ``(inputs, rows, columns, channels)`` in bytes, all of the first class and all for testing by default.

    ``more`` are black and white, or another title than that of the dataset's id.
    """
    stated = {"title": dataset.title()} | more
    return ImageStack(
        dataset=dataset,
        class_names=list(names),
        labels=np.zeros(len(pixels), np.int64) if labels is None else labels,
        train=train,
        validation=validation,
        test=np.arange(len(pixels)) if test is None else test,
        images=pixels.astype(np.uint8),
        **stated,
    )


def digits() -> ImageStack:
    """The digits, of which none validate."""
    settings = datasets.digits()
    arrays = embedded_digits.arrays(settings, Places())
    return images(
        arrays["images"],
        arrays["labels"],
        settings.class_names,
        dataset="digits",
        train=arrays["train"],
        test=arrays["test"],
    )


def dark_or_light(count: int, side: int, **parts: Any) -> ImageStack:
    """Noisy colour images of two classes in turns, dark and light; ``parts`` as of ``images``."""
    labels = np.arange(count) % 2
    noise = np.random.default_rng(0).integers(0, 60, (count, side, side, 3))
    pixels = noise + 120 * labels[:, None, None, None]
    return images(pixels, labels, ["dark", "light"], dataset="colours", **parts)
