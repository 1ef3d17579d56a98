"""Collections: several targets under one name."""

from typing import Annotated, Literal

from pydantic import Field

from quantrift.core.settings.name_lists import Targets
from quantrift.study.results.targets.target import Target


class Collection(Target):
    """Several targets under one name."""

    kind: Literal["collection"]
    targets: Annotated[Targets, Field(min_length=1)]
    """Tables and figures, no collections. ``*`` stands for any letters of a name; a pattern stands for all names that
    match it, in the order in which they are stated."""


def members(target: Target) -> list[str]:
    """The targets that a collection names; none of other targets."""
    return target.targets if isinstance(target, Collection) else []
