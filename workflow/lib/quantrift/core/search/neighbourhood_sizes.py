"""Sizes of neighbourhoods as users write them behind the name: ``2``, or ``30:0.5`` for reach and step."""

from decimal import Decimal, InvalidOperation

import numpy as np

from quantrift.core.base.errors import QuantriftError


def whole(name: str, size: str | None, default: int, most: int) -> int:
    """A whole number from 1 to ``most``; the default, or ``most`` if that is less, where none is given.

    Raises:
        QuantriftError: the text is no such number; ``name`` is that of the neighbourhood.
    """
    if size is None:
        return min(default, most)
    number = int(size) if size.isascii() and size.isdecimal() else 0
    if not 1 <= number <= most:
        raise QuantriftError(f"'{name}={size}'; give a whole number from 1 to {most}")
    return number


def reach_and_step(name: str, size: str | None, default: str, most: int) -> tuple[str, np.ndarray]:
    """Values of a grid ``REACH:STEP`` from the middle outwards: 0, -STEP, STEP, ... -REACH, REACH.

    Args:
        name: of the neighbourhood, for messages.
        size: the text; None for the default.
        default: such a text.
        most: largest reach.

    Returns:
        The text as it counts, and the values, float64 (k,).

    Raises:
        QuantriftError: the text is no such grid.
    """
    text = default if size is None else size
    try:
        reach, step = map(Decimal, text.split(":"))
        fits = reach.is_finite() and step.is_finite() and 0 < step <= reach <= most and not reach % step
    except (ValueError, InvalidOperation):
        fits = False
    if not fits:
        raise QuantriftError(
            f"'{name}={text}'; give REACH:STEP like {default}, a reach of at most {most} that is a multiple of the step"
        )
    # Products of decimals, as sums of binary fractions would miss what was written.
    return text, np.array([float(place * step) for place in outwards(int(reach / step)).astype(int).tolist()])


def outwards(reach: int) -> np.ndarray:
    """0, -1, 1, -2, 2, ... ``-reach``, ``reach``: float64 (2 * reach + 1,). So a first counterexample is a near one."""
    steps = np.arange(1, reach + 1, dtype=np.float64)
    return np.concatenate([[0.0], np.stack([-steps, steps], axis=1).ravel()])
