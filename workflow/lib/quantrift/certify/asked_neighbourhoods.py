"""Neighbourhoods that a user asks for, from text; each kind is a module of ``quantrift.certify.neighbourhoods``."""

from functools import reduce

from quantrift.base import plugins
from quantrift.base.errors import QuantriftError, nearest
from quantrift.certify.boxes import Boxes
from quantrift.certify.neighbourhood import InTurn, Neighbourhood, Shape
from quantrift.search.distortions import folders

FOLDER = "quantrift.certify.neighbourhoods"
MOST = 10**8
"""Most members of a neighbourhood; more would take days for one input."""


def asked(text: str, shape: Shape) -> list[Neighbourhood | Boxes]:
    """The neighbourhoods in a text like ``brightness,shift=2,shift=1+brightness=8`` for images of a shape.

    Raises:
        QuantriftError: a name is unknown, a size is none, a neighbourhood stands there twice or is too large, or a box
            is combined with another.
    """
    found: dict[str, Neighbourhood | Boxes] = {}
    for part in text.split(","):
        one = reduce(_in_turn, (_single(kind.strip(), shape) for kind in part.split("+")))
        if one.text in found:
            raise QuantriftError(f"--neighbourhoods: '{one.text}' stands there twice; take one out")
        if isinstance(one, Neighbourhood) and one.size > MOST:
            raise QuantriftError(
                f"--neighbourhoods: '{one.text}' has {one.size:,} members for one input, more than {MOST:,}; "
                "give smaller numbers"
            )
        found[one.text] = one
    return list(found.values())


def usages() -> list[tuple[str, str]]:
    """How each kind is written, and its meaning, with its default in parentheses."""
    modules = [plugins.load(FOLDER, name) for name in plugins.names(FOLDER)]
    return [(module.USAGE, module.MEANING) for module in modules]


def module_names() -> list[str]:
    """Modules that neighbourhoods load by name; a change of one makes certificates of another code."""
    distortions = [folders.module_name("images", name) for name in folders.in_order("images")]
    return [*(f"{FOLDER}.{name}" for name in plugins.names(FOLDER)), *distortions]


def _in_turn(first: Neighbourhood | Boxes, second: Neighbourhood | Boxes) -> Neighbourhood:
    if isinstance(first, Boxes) or isinstance(second, Boxes):
        box = first if isinstance(first, Boxes) else second
        raise QuantriftError(f"--neighbourhoods: '{box.text}' goes with no other, as it is a box; put a comma there")
    return InTurn(first, second)


def _single(text: str, shape: Shape) -> Neighbourhood | Boxes:
    name, given, size = text.partition("=")
    if name not in plugins.names(FOLDER):
        raise QuantriftError(f"--neighbourhoods: there is no '{name}'; {nearest(name, plugins.names(FOLDER))}")
    bound: Neighbourhood | Boxes = plugins.load(FOLDER, name).bind(size if given else None, shape)
    return bound
