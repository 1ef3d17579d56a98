"""Settings of exchangeable parts: a name, or a name with deviations from its defaults."""

from dataclasses import asdict
from functools import cache
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError

from quantrift.core.base import search_parts
from quantrift.core.base.errors import first_mistake, nearest
from quantrift.core.settings.fields import Strict, refuse


def one_part(value: Any) -> Any:
    """``random`` and ``{pso: {swarm: 10}}`` as ``{"name": ..., "params": {...}}``."""
    if isinstance(value, str):
        return {"name": value}
    if isinstance(value, dict) and set(value) <= {"name", "params"} and "name" in value:
        return value
    if isinstance(value, dict) and len(value) == 1:
        [(name, params)] = value.items()
        return {"name": name, "params": params or {}}
    raise ValueError("expected one part: a name, or one name with its settings")


class PartSettings(Strict):
    """The name of a part and its settings."""

    name: str
    params: dict[str, Any] = Field(default_factory=dict)

    def resolve(self, kind: str) -> None:
        """Check name and settings against the part of this kind, and fill in what is not stated.

        Raises:
            ValueError: one line that says what is wrong.
        """
        names = search_parts.available(kind)
        if self.name not in names:
            raise ValueError(f"{kind}: unknown {kind} '{self.name}'; {nearest(self.name, names)}")
        params = search_parts.load(kind, self.name).Params
        known = params.__dataclass_fields__
        unknown = [key for key in self.params if key not in known]
        refuse({f"{kind}.{self.name}: unknown key '{key}'; {nearest(key, known)}": True for key in unknown})
        try:
            full = _checker(params).validate_python(self.params)
        except ValidationError as error:
            raise ValueError(f"{kind}.{self.name}.{first_mistake(error)}") from None
        self.params.clear()
        self.params.update(asdict(full))


@cache
def _checker(params: type) -> TypeAdapter[Any]:
    """The check of a part's settings, which takes longer to build than to run."""
    return TypeAdapter(params)


Part = Annotated[PartSettings, BeforeValidator(one_part, json_schema_input_type=str | dict[str, Any])]
