"""Sides of an input that a file leaves open, such as height and width: filled by the inputs that are at hand."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.graphs.choices import Choices

NAMES = {"image": ("height", "width", "channels"), "signal": ("steps", "channels"), "table": ("features",)}
"""Kind of the inputs -> what its sides are called, channels last."""
Details = Mapping[str, Any]
"""Of an input or output (``signature.described``)."""


class OpenSides(QuantriftError):
    """A network whose input has open sides that nothing has filled."""

    def __init__(self, message: str, sides: Sequence[int] = ()) -> None:
        """``sides`` are those of one input, below 1 where they are open."""
        super().__init__(message)
        self.sides = tuple(map(int, sides))


def fill(sides: Sequence[int], shape: Sequence[int] | None) -> tuple[int, ...] | None:
    """Sizes of a network's open sides for inputs of some shape; ``None`` where the shape does not tell them.

    >>> fill((3, -1, -1), (64, 48, 3))
    (0, 64, 48)

    Args:
        sides: of one input as the file takes it, below 1 where they are open.
        shape: of one input as it is given, with its channels first or last; ``None`` where no input is at hand.

    Returns:
        A number for each side, 0 for those that the file fixes itself.
    """
    # Nothing tells which of three open sides is which.
    if not shape or (len(sides) > 2 and max(sides) < 1):
        return None
    # Stored signals and rows of tables have sides of 1 before them.
    for one in [tuple(map(int, shape[start:])) for start in range(len(shape)) if set(shape[:start]) <= {1}]:
        for form in (one, (*one, 1), (1, *one), (one[-1], *one[:-1]), (*one[1:], one[0])):
            pairs = list(zip(sides, form, strict=False))
            if len(form) == len(sides) and all(side < 1 or side == given for side, given in pairs):
                return tuple(0 if side > 0 else given for side, given in pairs)
    return None


def filled(
    inputs: Sequence[Details],
    outputs: Sequence[Details],
    choices: Choices,
    shapes: Callable[[list[np.ndarray]], Iterable[Sequence[int]]] | None,
) -> tuple[Sequence[Details], Sequence[Details]]:
    """Details of inputs and outputs, with the sides that are noted in the file in place of open ones.

    Open sides of outputs stay open where they depend on the values of the inputs.

    Args:
        inputs: details, in the order of the file.
        outputs: likewise.
        choices: noted in the file.
        shapes: runs the network on values for its inputs, in their order, and tells the shapes of its outputs, which
            it is asked for where these are open; ``None`` where the runtime knows them before.
    """
    found = list(inputs)
    if choices.sizes and found:
        changed = choices.changed([one["name"] for one in found])
        own = np.where(choices.sizes, choices.sizes, found[changed]["shape_signature"][1:])
        own = np.array([found[changed]["shape_signature"][0], *own])
        found[changed] = {**found[changed], "shape": np.abs(own), "shape_signature": own}
    sides = [np.abs(one["shape_signature"]) for one in found if min(one["shape_signature"][1:], default=1) > 0]
    is_open = any(min(one["shape_signature"][1:], default=1) < 1 for one in outputs)
    if shapes is None or not is_open or len(sides) < len(found):
        return found, outputs
    drawn = [np.random.default_rng(0).random(own) for own in sides]
    runs = [
        [tuple(one) for one in shapes([(x * most).astype(of["dtype"]) for x, of in zip(drawn, found, strict=True)])]
        for most in (0, 1, 100)
    ]
    return found, [
        {**one, "shape": np.array(shape), "shape_signature": np.array([*one["shape_signature"][:1], *shape[1:]])}
        if len({shape, *others}) == 1 and shape[:1] == (sides[0][0],) and min(shape) > 0
        else one
        for one, shape, *others in zip(outputs, *runs, strict=True)
    ]
