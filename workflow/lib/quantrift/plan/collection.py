"""Several targets under one name."""

from typing import Annotated, Literal

from pydantic import Field

from quantrift.config.name_lists import Targets
from quantrift.targets.target import Target


class Collection(Target):
    """Several targets under one name."""

    kind: Literal["collection"]
    targets: Annotated[Targets, Field(min_length=1)]
    """Tables and figures; a collection holds no other. ``*`` stands for any letters of a name, and such a pattern for
    all that it fits, in the order in which they are stated."""
