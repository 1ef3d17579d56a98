"""Base class and field types of all configuration models."""

from collections.abc import Mapping
from inspect import get_annotations
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from quantrift.core.base.errors import nearest
from quantrift.core.base.merge import merged

Id = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", description="lower-case letters, digits and underscores")]
"""A name that is also a folder or file name, so it is kept to lower case, digits and underscores."""

Fraction = Annotated[float, Field(ge=0, le=1)]


def refuse(faults: Mapping[str, object]) -> None:
    """Raise ``ValueError`` with the first text of a fault that is there: text -> whether it is."""
    for text, there in faults.items():
        if there:
            raise ValueError(text)


class Strict(BaseModel):
    """A settings model that refuses keys it does not know and never changes after it is read."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    @model_validator(mode="before")
    @classmethod
    def _settings_lie_over_their_defaults(cls, stated: Any) -> Any:
        """Lay stated nested settings over their default in this model, not over the default of their own model.

        An unknown key is refused here, where its valid neighbours are known.
        """
        if not isinstance(stated, dict):
            return stated
        names = [field.alias or name for name, field in cls.model_fields.items()]
        for key in stated if cls.model_config["extra"] == "forbid" else ():
            if key not in names:
                found = {"key": str(key), "hint": nearest(str(key), names)}
                raise PydanticCustomError("unknown_key", "unknown key '{key}'; {hint}", found)
        defaults = {
            name: field.default.model_dump(exclude_unset=True)
            for name, field in cls.model_fields.items()
            if isinstance(field.default, BaseModel) and isinstance(stated.get(name), dict)
        }
        return {**stated, **{name: merged(default, stated[name]) for name, default in defaults.items()}}

    @model_validator(mode="after")
    def _no_faults(self) -> Self:
        refuse(self.faults())
        return self

    def faults(self) -> Mapping[str, object]:
        """Texts of mistakes that types of fields do not show -> whether they are there; the first is told."""
        return {}


class OfKind(Strict):
    """Settings of a part whose ``kind`` is the name of its module, which lies in a folder ``kinds``."""

    def __init_subclass__(cls, **stated: Any) -> None:
        """Annotate ``kind`` before pydantic collects the fields."""
        *_, folder, name = ["", *cls.__module__.split(".")]
        if folder == "kinds":
            cls.__annotations__ = {**get_annotations(cls), "kind": Literal[name]}
        super().__init_subclass__(**stated)
