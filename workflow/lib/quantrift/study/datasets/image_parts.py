"""Training and test images with their labels, checked against each other and put together."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantrift.core.base.errors import QuantriftError, refuse

Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class Part:
    """The images of one side of a split, as they were read."""

    images: Bytes
    """(N, rows, columns, channels)."""
    labels: Bytes
    """(N,), the number of each image's class."""
    images_from: str
    """Where the images were read, for messages."""
    labels_from: str
    """Where the labels were read, for messages."""


def joined(train: Part, test: Part, classes: int) -> dict[str, NDArray[Any]]:
    """Arrays ``images`` (N, rows, columns, channels) uint8, ``labels`` (N,) int64, ``train`` and ``test``.

    Raises:
        QuantriftError: when a part is empty, images and labels differ in number, the images of both parts in shape,
            or a label has no class name.
    """
    for part in (train, test):
        refuse(
            (
                len(part.images) != len(part.labels),
                f"{part.labels_from}: {len(part.labels)} labels for the {len(part.images)} images of "
                f"{part.images_from}; name files that belong together",
            )
        )
        refuse((not part.images.size, f"{part.images_from}: holds no pixel; name a file with images"))
        refuse(
            (
                part.labels.max() >= classes,
                f"{part.labels_from}: holds label {part.labels.max()}, but {classes} class names are given; name every "
                "class",
            )
        )
    if train.images.shape[1:] != test.images.shape[1:]:
        raise QuantriftError(
            f"{test.images_from}: images of shape {test.images.shape[1:]}, those for training have "
            f"{train.images.shape[1:]}; name files of one dataset"
        )
    numbers = np.arange(len(train.labels) + len(test.labels))
    return {
        # Concatenation keeps the order in memory of what it is given, and no reader expects any but the usual one.
        "images": np.ascontiguousarray(np.concatenate([train.images, test.images])),
        "labels": np.concatenate([train.labels, test.labels]).astype(np.int64),
        "train": numbers[: len(train.labels)],
        "test": numbers[len(train.labels) :],
    }
