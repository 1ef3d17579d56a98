"""Merging of configuration layers: one is laid over another."""

from typing import Any

KINDS = ("kind", "method")
"""Keys that say what a mapping is of. One that says something else is another thing, which comes with its own settings:
a split of another kind, a compression of another method."""
INSTEAD = {"generations": "evaluations", "drops": "decay", "decay": "drops"}
"""Setting -> the setting that it replaces: a layer that states the first drops the second of the layers below."""


def merged(base: Any, over: Any) -> Any:
    """``base`` with ``over`` laid on it, mappings of one kind key by key, everything else replaced whole."""
    if not isinstance(base, dict) or not isinstance(over, dict) or _is_another(base, over):
        return over
    replaced = {other for key, other in INSTEAD.items() if over.get(key)} - {*over}
    kept = {key: value for key, value in base.items() if key not in replaced}
    return {**kept, **{key: merged(kept.get(key), value) for key, value in over.items()}}


def _is_another(base: dict[Any, Any], over: dict[Any, Any]) -> bool:
    # Another name of a part of a tool (``part_settings``) means another part, with its own settings.
    kinds = (*KINDS, "name") if {*base, *over} <= {"name", "params"} else KINDS
    other_kind = any(key in base and key in over and base[key] != over[key] for key in kinds)
    # A tool whose `like` changes takes everything that it does not state from the tool it is now like.
    return other_kind or ("like" in over and over["like"] != base.get("like"))
