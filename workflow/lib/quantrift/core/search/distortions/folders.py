"""Distortions, found by folder: a module in ``hsi`` or ``images`` is one, and its file name is its name.

A module offers ``bind(setting)``, its block for inputs of one shape, and ``PLACE``, by which blocks stand in the vector
and radiometric ones apply. The order never changes, as vectors in records have it: a new distortion takes a place of
its own, best behind all others. Those in ``hsi`` also say ``VARIANTS``, the variants of DiverGet that have them, and
the others ``BY_DEFAULT``, whether tools have them that name none. A new distortion says ``()`` and ``False``, so that
no tool changes but those that name it. It may say ``GROUPS`` too, names by which tools ask for several distortions at
once; those by default are the group ``default``.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from types import ModuleType
from typing import Literal

from quantrift.core.base import plugins

Folder = Literal["hsi", "images", "signals", "tables"]
DEFAULT = "default"
"""Group of the distortions that tools have which name none."""


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


@cache
def groups(folder: Folder) -> Mapping[str, tuple[str, ...]]:
    """Name of each group of distortions -> its distortions, in order; for all folders but ``hsi``."""
    found: dict[str, tuple[str, ...]] = {}
    for name in in_order(folder):
        module = load(folder, name)
        for group in (*([DEFAULT] if module.BY_DEFAULT else []), *getattr(module, "GROUPS", ())):
            found[group] = (*found.get(group, ()), name)
    return found


def of_folder(folder: Folder, named: Iterable[str] | None, also: Iterable[str] = ()) -> tuple[str, ...]:
    """The distortions that are named, each by itself or by a group, in order; the default where no names are given.

    Args:
        folder: any but ``hsi``.
        named: names of distortions and groups; None for the default.
        also: more names of distortions, which must be known too.

    Raises:
        ValueError: a name is unknown, or nothing is named.
    """
    known = groups(folder)
    asked = [one for name in ([DEFAULT] if named is None else named) for one in known.get(name, (name,))]
    return chosen(in_order(folder), (), asked, also)


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
