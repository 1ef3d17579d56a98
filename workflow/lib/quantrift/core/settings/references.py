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
    hints, before = _hints(type(settings)), f"{where}." if where else ""
    for name, field in type(settings).model_fields.items():
        yield from _within(hints[name], getattr(settings, name), before + (field.alias or name))
    for name, value in (settings.model_extra or {}).items():
        yield from _within(None, value, before + name)


@cache
def _hints(model: type[BaseModel]) -> dict[str, Any]:
    return get_type_hints(model, include_extras=True)


def _within(annotation: Any, value: Any, where: str) -> Iterator[Reference]:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if isinstance(value, BaseModel):
        yield from references(value, where)
    elif origin is Annotated:
        marks = [mark for mark in arguments[1:] if isinstance(mark, Ref)]
        yield from ((where, mark.kind, value) for mark in marks if isinstance(value, str) and value)
        yield from _within(arguments[0], value, where)
    elif origin in (Union, types.UnionType):
        for choice in arguments:
            yield from _within(choice, value, where)
    elif origin is dict and isinstance(value, dict):
        for key, one in value.items():
            yield from _within(arguments[0], key, where)
            yield from _within(arguments[1], one, f"{where}.{key}")
    elif origin in (list, tuple) and isinstance(value, list | tuple):
        for one in value:
            yield from _within(arguments[0], one, where)
