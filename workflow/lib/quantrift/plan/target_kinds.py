"""Settings of all kinds of targets, told apart by ``kind``."""

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, get_args

from pydantic import Field

from quantrift.config import targets as old
from quantrift.plan.collection import Collection
from quantrift.targets import kinds

TABLES = tuple(sorted({*kinds.names("tables"), *old.TABLE_KINDS}))
FIGURES = tuple(sorted({*kinds.names("figures"), *old.FIGURE_KINDS}))

if TYPE_CHECKING:
    AnyTarget = Any
else:
    _NEW = [Collection, *kinds.settings("tables"), *kinds.settings("figures")]
    _MOVED = {"collection", *kinds.names("tables"), *kinds.names("figures")}
    _OLD = [
        one
        for one in get_args(get_args(old.AnyTarget)[0])
        if not set(get_args(one.model_fields["kind"].annotation)) <= _MOVED
    ]
    AnyTarget = Annotated[reduce(or_, [*_NEW, *_OLD]), Field(discriminator="kind")]
