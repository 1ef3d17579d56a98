"""Tools with ``like``: settings that a tool takes over from another one."""

from collections.abc import Mapping
from typing import Any

from quantrift.core.base import search_parts
from quantrift.core.base.errors import nearest
from quantrift.core.settings.part_settings import one_part


def resolved(tools: Mapping[str, Any]) -> dict[str, Any]:
    """Tools as in YAML, those with ``like`` completed by the settings of the tool named there.

    A title is never taken over. A part of the same name keeps the settings that are not stated again; a part of another
    name has its own alone.

    Raises:
        ValueError: one line that begins with the key, where ``like`` names no tool, or leads back to the tool itself.
    """
    return {name: _completed(name, own, tools, (name,)) if _is_like(own) else own for name, own in tools.items()}


def _is_like(tool: Any) -> bool:
    return isinstance(tool, Mapping) and tool.get("like") is not None


def _completed(name: str, own: Mapping[str, Any], tools: Mapping[str, Any], seen: tuple[str, ...]) -> dict[str, Any]:
    """A tool with the settings it takes over; ``seen`` is the chain of tools that led to it."""
    model = own["like"]
    if not isinstance(model, str) or model not in tools:
        raise ValueError(f"tools.{name}.like: unknown tool '{model}'; {nearest(str(model), tools)}")
    base = tools[model]
    if model in seen:
        raise ValueError(f"tools.{name}.like: leads back to itself, {' -> '.join([*seen, model])}; state its parts")
    if _is_like(base):
        base = _completed(model, base, tools, (*seen, model))
    taken = (
        {key: value for key, value in base.items() if key not in ("title", "like")} if isinstance(base, Mapping) else {}
    )
    for key, value in own.items():
        try:
            taken[key] = _part(taken[key], value) if key in search_parts.FOLDERS and key in taken else value
        except ValueError as error:
            raise ValueError(f"tools.{name}.{key}: {error}") from None
    return taken


def _part(base: Any, own: Any) -> dict[str, Any]:
    first, second = one_part(base), one_part(own)
    if first["name"] != second["name"]:
        return second
    return {"name": second["name"], "params": {**first.get("params", {}), **second.get("params", {})}}
