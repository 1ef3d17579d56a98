"""Abbreviated lists of names: ``agree: all`` of a protocol, patterns among the targets of a collection."""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Annotated, Any

from pydantic import WithJsonSchema

from quantrift.core.base.errors import nearest
from quantrift.core.settings.fields import Id
from quantrift.core.settings.references import CompressionId, Ref

ALL = "all"
ANY = "*"
"""Stands for any letters of a name, none included."""

_ID = {"type": "string", "pattern": "^[a-z][a-z0-9_]*$"}
Compressions = Annotated[
    list[CompressionId], WithJsonSchema({"anyOf": [{"type": "array", "items": _ID}, {"type": "string", "const": ALL}]})
]
"""Ids of compressions; a file may say ``all``."""
Targets = Annotated[
    list[Annotated[Id, Ref("table or figure")]],
    WithJsonSchema({"type": "array", "items": {"type": "string", "pattern": "^[a-z*][a-z0-9_*]*$"}, "minItems": 1}),
]
"""Ids of targets; a file may give patterns."""


def written_out(whole: Mapping[str, Any]) -> dict[str, Any]:
    """A whole configuration as YAML states it, every such list in full; what is malformed stays, to be named later.

    Raises:
        ValueError: one line that begins with the key.
    """
    return {
        **whole,
        **_each(whole, "protocols", lambda name, own: _agreeing(whole, name, own)),
        **_each(whole, "targets", lambda name, own: _collected(whole, name, own)),
    }


def _each(whole: Mapping[str, Any], section: str, change: Any) -> dict[str, Any]:
    entries = whole.get(section)
    if not isinstance(entries, Mapping):
        return {}
    return {section: {name: change(name, own) if isinstance(own, Mapping) else own for name, own in entries.items()}}


def _agreeing(whole: Mapping[str, Any], name: str, own: Mapping[str, Any]) -> Mapping[str, Any]:
    """A protocol; ``agree: all`` names the compressions of the groups of subjects that are searched under it.

    Groups without a dataset or a network are searched nowhere and say nothing.
    """
    if own.get("agree") != ALL:
        return own
    experiments = [one for one in _mappings(whole, "experiments").values() if one.get("protocol") == name]
    if not experiments:
        raise ValueError(
            f"protocols.{name}.agree: all means those that experiments search under it, but no experiment does; "
            "name the compressions"
        )
    groups = _mappings(whole, "subjects")
    named = dict.fromkeys(str(one.get("subjects")) for one in experiments)
    found = {
        group: groups[group].get("compression", [])
        for group in named
        if group in groups and groups[group].get("dataset") and groups[group].get("model")
    }
    for group, compressions in found.items():
        first, theirs = next(iter(found.items()))
        if compressions != theirs:
            raise ValueError(
                f"protocols.{name}.agree: all means different ones for the groups of subjects '{first}' and '{group}'; "
                "name the compressions"
            )
    return {**own, "agree": next(iter(found.values()), [])}


def _collected(whole: Mapping[str, Any], name: str, own: Mapping[str, Any]) -> Mapping[str, Any]:
    """A target; the patterns of a collection become the tables and figures they fit, in the order of these."""
    if own.get("kind") != "collection" or not isinstance(own.get("targets"), list):
        return own
    known = [one for one, other in _mappings(whole, "targets").items() if other.get("kind") != "collection"]
    full: list[Any] = []
    for one in own["targets"]:
        if not isinstance(one, str) or ANY not in one:
            full.append(one)
            continue
        fitting = [other for other in known if fnmatchcase(other, one)]
        if not fitting:
            hint = nearest(one.replace(ANY, ""), known)
            raise ValueError(f"targets.{name}.targets: no table or figure is named like '{one}'; {hint}")
        full += fitting
    return {**own, "targets": full}


def _mappings(whole: Mapping[str, Any], section: str) -> dict[str, Mapping[str, Any]]:
    """Entries of a section that are mappings."""
    entries = whole.get(section)
    found = entries.items() if isinstance(entries, Mapping) else ()
    return {name: own for name, own in found if isinstance(own, Mapping)}
