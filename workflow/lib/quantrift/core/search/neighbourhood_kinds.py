"""Finite neighbourhoods by kind, from text like ``shift=1+brightness=8``."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from typing import NamedTuple

import numpy as np

from quantrift.core.base.errors import QuantriftError, check_name
from quantrift.core.search.distortions.compound import in_order, module_name
from quantrift.core.search.dropout_neighbourhood import Dropout
from quantrift.core.search.neighbourhood import Grid, InTurn, Neighbourhood, Shape, outwards, reach_and_step, whole
from quantrift.core.search.space import Domain, Originals
from quantrift.core.search.spaces import image_distortions, pixels

MOST = 10**8
"""Most members of a neighbourhood; more would take days for one input."""


class Distorted(Grid):
    """A distortion of images that searches use, at all values of its parameters on a grid."""

    def __init__(self, size: str, axes: Mapping[str, np.ndarray], name: str, shape: Shape, unit: float = 1) -> None:
        """A neighbourhood of images.

        Args:
            size: as a user writes it behind the name.
            axes: values of each parameter, in the order of the distortion's genes.
            name: of the distortion, and of the kind.
            shape: of an image.
            unit: a gene is a parameter divided by it.
        """
        super().__init__(f"{name}={size}", axes)
        # Between black and white, 0 and 1; networks get their own scale afterwards.
        domain = Domain(shape, 0.0, 1.0)
        self._space = image_distortions.bind(image_distortions.Params(distortions=(name,)), domain)
        self._pixels = pixels.bind(pixels.Params(), domain)
        self._unit = unit

    def apply(self, images: np.ndarray, parameters: np.ndarray) -> np.ndarray:
        """See :class:`quantrift.core.search.neighbourhood.Neighbourhood`."""
        [block] = self._space.blocks
        vectors = np.zeros((len(images), *self._space.shape), np.float32)
        vectors[:, block.activation] = 1
        vectors[:, block.genes] = parameters / self._unit
        originals = Originals(self._pixels.of_levels(images))
        return self._pixels.levels(self._space.decode(vectors, originals, np.arange(len(images))))


class Pixel(Grid):
    """One value of an image, set to anything; the rest of the image stays as it is."""

    def apply(self, images: np.ndarray, parameters: np.ndarray) -> np.ndarray:
        """See :class:`quantrift.core.search.neighbourhood.Neighbourhood`."""
        changed = images.copy()
        row, column, channel, value = parameters.astype(np.int64).T
        changed[np.arange(len(images)), row, column, channel] = value
        return changed


def _stepped(name: str, axis: str, default: str, most: int, size: str | None, shape: Shape) -> Neighbourhood:
    """A distortion of one parameter on a grid ``REACH:STEP``."""
    text, values = reach_and_step(name, size, default, most)
    return Distorted(text, {axis: values}, name, shape)


def _brightness(size: str | None, shape: Shape) -> Neighbourhood:
    """Every value of an image rises or falls by as many levels, and stops at black and white."""
    reach = whole("brightness", size, 255, 255)
    return Distorted(f"{reach}", {"levels": outwards(reach)}, "brightness", shape, unit=255)


def _shift(size: str | None, shape: Shape) -> Neighbourhood:
    """Shifts by whole pixels; beyond its borders an image goes on as its edges are."""
    reach = whole("shift", size, 2, max(1, max(shape[:2]) - 1))
    return Distorted(f"{reach}", {"down": outwards(reach), "right": outwards(reach)}, "shift", shape)


def _pixel(size: str | None, shape: Shape) -> Neighbourhood:
    if size is not None:
        raise QuantriftError(f"'pixel={size}'; pixel takes no number, as it has every value")
    sides = dict(zip(("row", "column", "channel"), map(np.arange, shape), strict=True))
    return Pixel("pixel", sides | {"value": np.arange(256)})


def _dropout(size: str | None, shape: Shape) -> Neighbourhood:
    return Dropout(whole("dropout", size, 2, min(shape[:2])), shape)


class Kind(NamedTuple):
    """A kind of neighbourhood."""

    usage: str
    meaning: str
    """For the help of the command, with the default in parentheses."""
    bind: Callable[[str | None, Shape], Neighbourhood]
    """From the text behind ``=``, or None, and the shape of images to the neighbourhood."""


KINDS: Mapping[str, Kind] = {
    "brightness": Kind("brightness[=LEVELS]", "offsets from -LEVELS to LEVELS of 8 bits (255)", _brightness),
    "contrast": Kind(
        "contrast[=REACH:STEP]",
        "distances from the mean times 2^d, d from -REACH to REACH in steps (1:0.01)",
        partial(_stepped, "contrast", "doublings", "1:0.01", 8),
    ),
    "dropout": Kind(
        "dropout[=LINES]", "up to LINES rows, or columns, at the image's least or greatest value (2)", _dropout
    ),
    "pixel": Kind("pixel", "256 values of each channel of each pixel alone", _pixel),
    "rotation": Kind(
        "rotation[=REACH:STEP]",
        "degrees from -REACH to REACH in steps (30:0.5)",
        partial(_stepped, "rotation", "degrees", "30:0.5", 180),
    ),
    "shift": Kind("shift[=PIXELS]", "shifts down and right by -PIXELS to PIXELS each (2)", _shift),
}
"""By name; angles are counter-clockwise, about the middle."""


def kinds(text: str) -> list[str]:
    """Names of the kinds in a text, in the order in which they change an image."""
    return [part.partition("=")[0].strip() for part in text.split("+")]


def check_known(text: str, known: Sequence[str] = tuple(KINDS)) -> None:
    """Make sure that a text names kinds that there are.

    Raises:
        QuantriftError: it names another.
    """
    for name in kinds(text):
        check_name(f"there is no '{name}'", name, known)


def named(text: str, shape: Shape) -> Neighbourhood:
    """The neighbourhood in a text, of images of a shape.

    Raises:
        QuantriftError: a kind is unknown, a size is none, or it has too many members.
    """
    check_known(text)
    parts = (part.strip().partition("=") for part in text.split("+"))
    found = reduce(InTurn, (KINDS[name.strip()].bind(size if given else None, shape) for name, given, size in parts))
    if found.size > MOST:
        raise QuantriftError(
            f"'{found.text}' has {found.size:,} members for one input, more than {MOST:,}; give smaller numbers"
        )
    return found


def module_names() -> list[str]:
    """Modules that neighbourhoods load by name; a change of one makes results of another code."""
    return [module_name("images", name) for name in in_order("images")]
