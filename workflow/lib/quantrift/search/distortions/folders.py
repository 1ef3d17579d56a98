"""Distortions, found by folder: a module in ``hsi`` or ``images`` is one, and its file name is its name.

A module offers ``bind(setting)``, its block for inputs of one shape, and ``PLACE``, by which blocks stand in the vector
and radiometric ones apply. The order never changes, as vectors in records have it: a new distortion takes a place of
its own, best behind all others. Those in ``hsi`` also say ``VARIANTS``, the variants of DiverGet that have them, and
those in ``images`` ``BY_DEFAULT``, whether tools have them that name none. A new distortion says ``()`` and ``False``,
so that no tool changes but those that name it.
"""

from collections.abc import Iterable
from functools import cache
from types import ModuleType
from typing import Literal

from quantrift.base import plugins

Folder = Literal["hsi", "images"]


def module_name(folder: Folder, name: str) -> str:
    """The module of a distortion."""
    return f"{__package__}.{folder}.{name}"


def load(folder: Folder, name: str) -> ModuleType:
    """The module of a distortion. Raises ``KeyError`` for one that the folder does not have."""
    return plugins.load(f"{__package__}.{folder}", name)


@cache
def in_order(folder: Folder) -> tuple[str, ...]:
    """Names of all distortions of a folder by their places; imports them, as each says its own, and no others."""
    found = plugins.names(f"{__package__}.{folder}")
    return tuple(sorted(found, key=lambda name: load(folder, name).PLACE))


def chosen(
    known: tuple[str, ...], default: Iterable[str], named: Iterable[str] | None, also: Iterable[str] = ()
) -> tuple[str, ...]:
    """The distortions that are named, in the order of those known; the default where no names are given.

    Args:
        known: names in order.
        default: some of them.
        named: None for the default.
        also: more names, which must be known too.

    Raises:
        ValueError: a name is unknown, or nothing is named.
    """
    asked = tuple(default if named is None else named)
    unknown = [name for name in (*asked, *also) if name not in known]
    if unknown or not asked:
        raise ValueError(f"distortions must be some of {', '.join(known)}, got {', '.join(unknown) or 'none'}")
    return tuple(name for name in known if name in asked)
