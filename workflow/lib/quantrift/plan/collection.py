"""Several targets under one name."""

from typing import Annotated, Literal

from pydantic import Field

from quantrift.config.base import Id
from quantrift.config.references import Ref
from quantrift.targets.target import Target


class Collection(Target):
    """Several targets under one name."""

    kind: Literal["collection"]
    targets: Annotated[list[Annotated[Id, Ref("table or figure")]], Field(min_length=1)]
    """Tables and figures; a collection holds no other."""
