"""Finite neighbourhoods from text like ``shift=1+brightness=8``; each kind is a module of a folder of its own."""

from collections.abc import Sequence
from functools import reduce

from quantrift.core.base import plugins
from quantrift.core.base.errors import QuantriftError, nearest
from quantrift.core.search.distortions import folders
from quantrift.core.search.neighbourhood import InTurn, Neighbourhood, Shape

FOLDER = "quantrift.core.search.neighbourhoods"
MOST = 10**8
"""Most members of a neighbourhood; more would take days for one input."""


def kinds(text: str) -> list[str]:
    """Names of the kinds in a text, in the order in which they change an image."""
    return [part.partition("=")[0].strip() for part in text.split("+")]


def check_known(text: str, known: Sequence[str] | None = None) -> None:
    """Make sure that a text names kinds that there are: those of the folder, unless others are given.

    Raises:
        QuantriftError: it names another.
    """
    known = plugins.names(FOLDER) if known is None else known
    for name in kinds(text):
        if name not in known:
            raise QuantriftError(f"there is no '{name}'; {nearest(name, known)}")


def named(text: str, shape: Shape) -> Neighbourhood:
    """The neighbourhood in a text, of images of a shape.

    Raises:
        QuantriftError: a kind is unknown, a size is none, or it has too many members.
    """
    check_known(text)
    found = reduce(InTurn, (_single(part.strip(), shape) for part in text.split("+")))
    if found.size > MOST:
        raise QuantriftError(
            f"'{found.text}' has {found.size:,} members for one input, more than {MOST:,}; give smaller numbers"
        )
    return found


def module_names() -> list[str]:
    """Modules that neighbourhoods load by name; a change of one makes results of another code."""
    distortions = [folders.module_name("images", name) for name in folders.in_order("images")]
    return [*(f"{FOLDER}.{name}" for name in plugins.names(FOLDER)), *distortions]


def _single(text: str, shape: Shape) -> Neighbourhood:
    name, given, size = text.partition("=")
    bound: Neighbourhood = plugins.load(FOLDER, name.strip()).bind(size if given else None, shape)
    return bound
