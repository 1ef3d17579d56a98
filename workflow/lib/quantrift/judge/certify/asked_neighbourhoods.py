"""Settings of a certification: neighbourhoods in a text, finite ones and boxes, which are kinds of their own."""

from dataclasses import dataclass

from quantrift.core.base.errors import refuse, said_of
from quantrift.core.search.neighbourhood import Neighbourhood, Shape
from quantrift.core.search.neighbourhood_kinds import KINDS, check_known, kinds, named
from quantrift.judge.certify import boxes
from quantrift.judge.certify.boxes import Boxes

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
    return [(usage, meaning) for usage, meaning, _ in (*KINDS.values(), *boxes.KINDS.values())]


def _bound(text: str, shape: Shape) -> Neighbourhood | Boxes:
    check_known(text, (*boxes.KINDS, *KINDS))
    if not (name := next((name for name in kinds(text) if name in boxes.KINDS), None)):
        return named(text, shape)
    refuse(("+" in text, f"'{name}' goes with no other, as it is a box; put a comma there"))
    _, given, size = text.partition("=")
    _, _, bind = boxes.KINDS[name]
    return bind(size if given else None, shape)
