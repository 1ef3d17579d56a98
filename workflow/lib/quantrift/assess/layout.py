"""Which axis of an array of inputs is which, told from the images that a network takes."""

import numpy as np

from quantrift.config.errors import QuantriftError

CHANNELS = (1, 3)
"""Of images; more are a cube of spectral bands."""


def channels_last(values: np.ndarray, image: tuple[int, int, int], array: str, network: str) -> tuple[np.ndarray, str]:
    """The inputs as (n, H, W, C), C-contiguous, of the type they have; and what was found, one line.

    Args:
        values: (n, ...).
        image: (H, W, C) that the network takes.
        array: name of the file of inputs, for messages.
        network: likewise of the network.

    Raises:
        QuantriftError: the inputs do not fit the network, whatever the order of their axes.
    """
    height, width, channels = image
    shape = values.shape[1:]
    text = " x ".join(map(str, image))
    if image[0] in CHANNELS and image[2] not in CHANNELS and image[1] == image[2]:
        raise QuantriftError(
            f"{network}: takes {text}, which are channels first (wrong layout); export it with channels last, or as "
            ".onnx"
        )
    if shape == image:
        return np.ascontiguousarray(values), f"layout: channels last, {text}"
    if channels == 1 and shape == image[:2]:
        return np.ascontiguousarray(values[..., None]), f"layout: images without channels, taken as {text}"
    if shape == (channels, height, width):
        return np.ascontiguousarray(np.moveaxis(values, 1, 3)), f"layout: channels first, turned to {text}"
    given = " x ".join(map(str, shape))
    if sorted(shape) == sorted(image) or (channels == 1 and sorted(shape) == sorted(image[:2])):
        raise QuantriftError(
            f"{array}: inputs are {given}, {network} takes {text} (wrong layout); transpose them to (n, H, W, C)"
        )
    raise QuantriftError(
        f"{array}: inputs are {given}, {network} takes {text} (wrong layout or size); give the inputs that it was "
        "trained on"
    )
