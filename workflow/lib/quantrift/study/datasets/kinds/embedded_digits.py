"""scikit-learn's embedded handwritten digits at the size of MNIST's, so that demonstrations need no download."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from quantrift.core.base.errors import refuse
from quantrift.core.settings.datasets import Dataset
from quantrift.core.settings.fields import Fraction
from quantrift.study.datasets.official import Places

COUNT = 1797
"""Embedded images."""
SIDE = 28
"""Pixels of an enlarged image, as LeNet-5 expects."""
INK = 16
"""Darkest grey level of the embedded images."""


class Settings(Dataset):
    """scikit-learn's 1797 real handwritten digits, enlarged from 8x8 to 28x28 pixels."""

    channels: ClassVar[int | None] = 1
    test: Fraction = 0.4
    """Share of each class that is held out as test images."""
    seed: int = 0
    """Seed of the split."""

    @property
    def split_sizes(self) -> tuple[int, int]:
        """To within the rounding of each class."""
        test = round(COUNT * self.test)
        return COUNT - test, test


def arrays(settings: Settings, places: Places) -> dict[str, NDArray[Any]]:
    """Arrays ``images`` (1797, 28, 28, 1) uint8, ``labels`` (1797,), ``train`` and ``test``, stratified by digit.

    Raises:
        QuantriftError: unless ten class names are given, and when a digit has no image left to train or test on.
    """
    from scipy.ndimage import zoom
    from sklearn.datasets import load_digits

    from quantrift.study.datasets.splits import shares_of_each_class

    refuse(
        (
            len(settings.class_names) != 10,
            f"class_names: {len(settings.class_names)} names for ten digits; name each digit",
        )
    )
    digits = load_digits()
    factor = SIDE / digits.images.shape[1]
    # grid_mode takes pixels for areas, so that the picture keeps its borders.
    smooth = zoom(digits.images, (1, factor, factor), order=3, mode="nearest", grid_mode=True)
    images = np.rint(np.clip(smooth, 0, INK) * (255 / INK)).astype(np.uint8)
    labels = digits.target.astype(np.int64)
    train, test = shares_of_each_class(labels, [None, settings.test], settings.seed, settings.class_names)
    return {"images": images[..., None], "labels": labels, "train": train, "test": test}
