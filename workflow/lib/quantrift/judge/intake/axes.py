"""Order of axes: inputs are brought to (n, H, W, C) as the network takes them."""

import numpy as np

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.graphs.input_sides import longer_sides


def channels_last(
    values: np.ndarray, image: tuple[int, int, int], array: str, network: str, first: bool = False
) -> tuple[np.ndarray, str]:
    """The inputs as (n, H, W, C), C-contiguous, of the type they have; and what was found, one line.

    Inputs stand as the network's file takes them, or in the other order where their shape leaves no doubt.

    Args:
        values: (n, ...).
        image: (H, W, C) that the network takes.
        array: name of the file of inputs, for messages.
        network: likewise of the network.
        first: whether the network's file takes channels first; it decides where both orders have the same shape.

    Raises:
        QuantriftError: the inputs do not fit the network, whatever the order of their axes.
    """
    height, width, channels = image
    shape = values.shape[1:]
    text = " x ".join(map(str, image))
    if channels == 1 and shape == image[:2]:
        return np.ascontiguousarray(values[..., None]), f"layout: images without channels, taken as {text}"
    turned = (channels, height, width)
    if shape == turned and (first or turned != image):
        return np.ascontiguousarray(np.moveaxis(values, 1, 3)), f"layout: channels first, turned to {text}"
    if shape == image:
        return np.ascontiguousarray(values), f"layout: channels last, {text}"
    given = " x ".join(map(str, shape))
    if sorted(shape) == sorted(image) or (channels == 1 and sorted(shape) == sorted(image[:2])):
        raise QuantriftError(
            f"{array}: inputs are {given}, {network} takes {text} (wrong layout); transpose them to (n, H, W, C)"
        )
    raise QuantriftError(
        f"{array}: inputs are {given}, {network} takes {text} (wrong layout or size); give the inputs that it was "
        "trained on"
    )


def steps_and_channels(
    values: np.ndarray, signal: tuple[int, int, int], array: str, network: str, first: bool = False
) -> tuple[np.ndarray, str]:
    """Signals as (n, 1, T, C), or rows of a table as (n, 1, 1, F), C-contiguous; and what was found, one line.

    Signals stand as the network's file takes them, or in the other order where their shape leaves no doubt. Sides of 1
    may stand anywhere.

    Args:
        values: (n, ...).
        signal: (1, T, C) that the network takes; (1, 1, F) of a table.
        array: name of the file of inputs, for messages.
        network: likewise of the network.
        first: whether the network's file takes channels before time; it decides where both orders have the same shape.

    Raises:
        QuantriftError: the inputs do not fit the network.
    """
    given, wanted = longer_sides(values.shape[1:]), longer_sides(signal)
    text = " x ".join(map(str, signal[1:] if signal[1] > 1 else signal[2:]))
    # Inputs that an assessment stored stand as (1, T, C), whatever the file takes.
    stored = values.shape[1:] == signal
    if given == wanted[::-1] and len(wanted) == 2 and not stored and (first or given != wanted):
        turned = np.moveaxis(values.reshape(len(values), *given), 1, 2)
        return np.ascontiguousarray(turned)[:, None], f"layout: channels first, turned to {text}"
    if given == wanted:
        kind = "signals, channels last" if signal[1] > 1 else "rows of a table"
        return np.ascontiguousarray(values).reshape(len(values), *signal), f"layout: {kind}, {text}"
    shape = " x ".join(map(str, values.shape[1:]))
    raise QuantriftError(
        f"{array}: inputs are {shape}, {network} takes {text} (wrong layout or size); give the inputs that it was "
        "trained on"
    )
