"""References between sections of the configuration: names, and the keys that lead to them."""

import types
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel

from quantrift.core.settings.fields import Id


@dataclass(frozen=True)
class Ref:
    """Marks a name as the id of something that stands elsewhere, as in ``Annotated[Id, Ref("tool")]``."""

    kind: str
    """Kind of thing that the id names, in the words of an error."""


DatasetId = Annotated[Id, Ref("dataset")]
ModelId = Annotated[Id, Ref("model")]
CompressionId = Annotated[Id, Ref("compression")]
SubjectsId = Annotated[Id, Ref("group of subjects")]
ToolId = Annotated[Id, Ref("tool")]
CalibrationId = Annotated[Id, Ref("calibration")]
ProtocolId = Annotated[Id, Ref("protocol")]
ExperimentId = Annotated[Id, Ref("experiment")]
AttackId = Annotated[Id, Ref("attack")]
StudyId = Annotated[Id, Ref("bit study")]


Reference = tuple[str, str, str]
"""Keys that lead to a name, joined by dots; kind of the named thing; the name."""


def references(settings: BaseModel, where: str = "") -> Iterator[Reference]:
    """Every reference in some settings and in the settings within them, in the order of their fields.

    Args:
        settings: may hold lists, mappings and unions of settings; a reference may be the key of a mapping.
        where: keys that lead to the settings.
    """
    hints = _hints(type(settings))
    for name, field in type(settings).model_fields.items():
        yield from _within(hints[name], getattr(settings, name), _join(where, field.alias or name))
    for name, value in (settings.model_extra or {}).items():
        yield from _within(None, value, _join(where, name))


@cache
def _hints(model: type[BaseModel]) -> dict[str, Any]:
    return get_type_hints(model, include_extras=True)


def _within(annotation: Any, value: Any, where: str) -> Iterator[Reference]:
    if isinstance(value, BaseModel):
        yield from references(value, where)
        return
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        yield from ((where, mark.kind, value) for mark in arguments[1:] if isinstance(mark, Ref) and value)
        yield from _within(arguments[0], value, where)
    elif origin in (Union, types.UnionType):
        for choice in arguments:
            if value is not None and _container(choice) is (type(value) if isinstance(value, list | dict) else None):
                yield from _within(choice, value, where)
    elif isinstance(value, dict):
        key_type, value_type = arguments or (None, None)
        for key, one in value.items():
            yield from _within(key_type, key, where)
            yield from _within(value_type, one, f"{where}.{key}")
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _within(arguments[0] if arguments else None, one, where)


def _container(annotation: Any) -> type | None:
    """``list`` or ``dict`` where a type is one of these."""
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    origin = get_origin(annotation)
    return origin if origin in (list, dict) else None


def _join(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name
