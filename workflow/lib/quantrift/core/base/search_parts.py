"""Exchangeable parts of search tools, found by name and loaded on use.

A part is a module ``quantrift.core.search.<folder>.<name>`` with a frozen dataclass ``Params`` (its settings,
with their defaults and sources) beside the code; a new file in the folder is a new part. Outside packages
add theirs with an entry point of group ``quantrift.parts`` called ``<kind>.<name>`` that names such a module.
"""

import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module, metadata
from types import ModuleType
from typing import Any

from quantrift.core.base import plugins

FOLDERS = {
    "space": "quantrift.core.search.spaces",
    "constraint": "quantrift.core.search.constraints",
    "objective": "quantrift.core.search.objectives",
    "searcher": "quantrift.core.search.searchers",
}
"""Kinds of parts, and the package whose modules are the parts of that kind."""
EARLIER = {"quantrift.search": "quantrift.core.search", "quantrift.search.messages": "quantrift.core.search.messages"}
"""Modules that parts of other packages import, by the names of earlier versions."""


def available(kind: str) -> dict[str, str]:
    """Names of the parts of a kind, each with the module that holds it; nothing is imported but the folder."""
    found = {name: f"{FOLDERS[kind]}.{name}" for name in plugins.names(FOLDERS[kind])}
    added = (point for point in _added() if point.name.startswith(f"{kind}."))
    found |= {point.name.removeprefix(f"{kind}."): point.value for point in added}
    return {name: module for name, module in sorted(found.items()) if not name.startswith("_")}


@cache
def _added() -> tuple[metadata.EntryPoint, ...]:
    """Parts of other packages; looked up once, as that reads a file of every installed package."""
    return tuple(metadata.entry_points(group="quantrift.parts"))


def load(kind: str, name: str) -> ModuleType:
    """The module of one part. Raises ``KeyError`` for a name that ``available`` does not list."""
    module = available(kind)[name]
    if not module.startswith("quantrift."):
        for earlier, now in EARLIER.items():
            sys.modules.setdefault(earlier, import_module(now))
    return import_module(module)


def modules(kind: str, name: str, params: Mapping[str, Any]) -> list[str]:
    """Modules that a part consists of: its own, and those it says it loads by name (``modules(params)``)."""
    part = load(kind, name)
    named: list[str] = part.modules(part.Params(**params)) if hasattr(part, "modules") else []
    return [part.__name__, *named]
