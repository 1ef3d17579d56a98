"""Settings of a certification: neighbourhoods in a text, finite ones and boxes, which are kinds of their own."""

from dataclasses import dataclass

from quantrift.core.base import plugins
from quantrift.core.base.errors import refuse, said_of
from quantrift.core.search import neighbourhood_kinds
from quantrift.core.search.neighbourhood import Neighbourhood, Shape
from quantrift.core.search.neighbourhood_kinds import KINDS, check_known, kinds, named
from quantrift.judge.certify.boxes import Boxes

FOLDER = "quantrift.judge.certify.box_kinds"
BOXES = 16
CERTIFIED = 40
"""First inputs that an assessment certifies, or all where there are fewer: each has whole neighbourhoods to run."""


@dataclass(frozen=True)
class Settings:
    """What is asked for."""

    neighbourhoods: str
    """See ``asked``."""
    number: int | None = None
    """First inputs of the file; None for all."""
    budget: int | None = None
    """Most members of a neighbourhood of one input; None for all."""
    boxes: int = BOXES
    """Boxes to look at for each box of a neighbourhood, with the halves that it is cut into."""
    command: str = ""


def asked(text: str, shape: Shape, option: str = "--neighbourhoods") -> list[Neighbourhood | Boxes]:
    """The neighbourhoods in a text like ``brightness,shift=2,shift=1+brightness=8`` for images of a shape.

    Args:
        text: one or more, with commas between.
        shape: of an image.
        option: where a user wrote it, for messages.

    Raises:
        QuantriftError: a name is unknown, a size is none, a neighbourhood stands there twice or is too large, or a box
            is combined with another.
    """
    found: dict[str, Neighbourhood | Boxes] = {}
    for part in text.split(","):
        with said_of(option):
            one = _bound(part.strip(), shape)
            refuse((one.text in found, f"'{one.text}' stands there twice; take one out"))
        found[one.text] = one
    return list(found.values())


def usages() -> list[tuple[str, str]]:
    """How each kind is written, and its meaning, with its default in parentheses."""
    boxes = (plugins.load(FOLDER, name) for name in plugins.names(FOLDER))
    return [*((kind.usage, kind.meaning) for kind in KINDS.values()), *((one.USAGE, one.MEANING) for one in boxes)]


def module_names() -> list[str]:
    """Modules that neighbourhoods load by name; a change of one makes certificates of another code."""
    return [*(f"{FOLDER}.{name}" for name in plugins.names(FOLDER)), *neighbourhood_kinds.module_names()]


def _bound(text: str, shape: Shape) -> Neighbourhood | Boxes:
    boxes = plugins.names(FOLDER)
    check_known(text, (*boxes, *KINDS))
    if not (box := next((name for name in kinds(text) if name in boxes), None)):
        return named(text, shape)
    name, given, size = text.partition("=")
    refuse(("+" in text, f"'{box}' goes with no other, as it is a box; put a comma there"))
    return plugins.load(FOLDER, name).bind(size if given else None, shape)
