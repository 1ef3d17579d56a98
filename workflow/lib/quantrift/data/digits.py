"""scikit-learn's embedded handwritten digits at the size of MNIST's, so that demonstrations need no download."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import zoom
from sklearn.datasets import load_digits

from quantrift.base.errors import QuantriftError
from quantrift.config.datasets import EmbeddedDigits
from quantrift.data.splits import shares_of_each_class

SIDE = 28
"""Pixels of an enlarged image, as LeNet-5 expects."""
INK = 16
"""Darkest grey level of the embedded images."""


def embedded_digits(settings: EmbeddedDigits) -> dict[str, NDArray[Any]]:
    """Arrays ``images`` (1797, 28, 28, 1) uint8, ``labels`` (1797,), ``train`` and ``test``, stratified by digit.

    Raises:
        QuantriftError: unless ten class names are given, and when a digit has no image left to train or test on.
    """
    if len(settings.class_names) != 10:
        raise QuantriftError(f"class_names: {len(settings.class_names)} names for ten digits; name each digit")
    digits = load_digits()
    factor = SIDE / digits.images.shape[1]
    # grid_mode takes pixels for areas, so that the picture keeps its borders.
    smooth = zoom(digits.images, (1, factor, factor), order=3, mode="nearest", grid_mode=True)
    images = np.rint(np.clip(smooth, 0, INK) * (255 / INK)).astype(np.uint8)
    labels = digits.target.astype(np.int64)
    train, test = shares_of_each_class(labels, [None, settings.test], settings.seed, settings.class_names)
    return {"images": images[..., None], "labels": labels, "train": train, "test": test}
