"""Collections: several targets under one name; and the publications that targets reproduce."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, WithJsonSchema

from quantrift.core.settings.fields import Id
from quantrift.core.settings.references import Ref
from quantrift.study.results.targets.target import Target

WORKS = {
    "diverget": "DiverGet",
    "diffchaser": "DiffChaser",
    "triggerfinder": "TriggerFinder",
    "heterogeneous": "Thesis on heterogeneous bit widths",
    "claims": "Claims of the papers",
}
"""First word of a target's id -> the publication that it reproduces, or the claims of all of them."""
Targets = Annotated[
    list[Annotated[Id, Ref("table or figure")]],
    WithJsonSchema({"type": "array", "items": {"type": "string", "pattern": "^[a-z*][a-z0-9_*]*$"}, "minItems": 1}),
]
"""Ids of targets; a file may give patterns."""


class Collection(Target):
    """Several targets under one name."""

    kind: Literal["collection"]
    targets: Annotated[Targets, Field(min_length=1)]
    """Tables and figures, no collections. ``*`` stands for any letters of a name; a pattern stands for all names that
    match it, in the order in which they are stated."""


def members(name: str, targets: Mapping[str, Target]) -> list[str]:
    """The tables and figures of a collection; of any other target, itself."""
    target = targets[name]
    return target.targets if isinstance(target, Collection) else [name]


def work_of(name: str, targets: Mapping[str, Target]) -> str:
    """The publication that a target reproduces; that of a collection is its first member's."""
    return WORKS.get(members(name, targets)[0].partition("_")[0], "Networks, compression, repair")
