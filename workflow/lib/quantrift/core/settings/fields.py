"""Base class and field types of all configuration models."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from quantrift.core.base.merge import merged

Id = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", description="lower-case letters, digits and underscores")]
"""A name that is also a folder or file name, so it is kept to lower case, digits and underscores."""

Fraction = Annotated[float, Field(ge=0, le=1)]


class Strict(BaseModel):
    """A settings model that refuses keys it does not know and never changes after it is read."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    @model_validator(mode="before")
    @classmethod
    def _settings_lie_over_their_defaults(cls, stated: Any) -> Any:
        """Lay stated nested settings over their default in this model, not over the default of their own model."""
        if not isinstance(stated, dict):
            return stated
        defaults = {
            name: field.default.model_dump(exclude_unset=True)
            for name, field in cls.model_fields.items()
            if isinstance(field.default, BaseModel) and isinstance(stated.get(name), dict)
        }
        return {**stated, **{name: merged(default, stated[name]) for name, default in defaults.items()}}
