"""What every configuration model shares."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Id = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", description="lower-case letters, digits and underscores")]
"""A name that is also a folder or file name, so it is kept to lower case, digits and underscores."""

Fraction = Annotated[float, Field(ge=0, le=1)]


class Strict(BaseModel):
    """A settings model that refuses keys it does not know and never changes after it is read."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)
