"""The space of natural changes of the rows of a table: errors of measurement, wrong entries, missing values.

A row is (1, 1, F). A candidate is one flat vector, a block for each distortion: an activation gene followed by its
parameters. Ranges, spreads, medians and categories are those of the inputs given. All changes stay within the ranges
observed and categories within the values observed, unless slips of units are asked to go beyond.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated

import numpy as np
from annotated_types import Gt, Le

from quantrift.core.base.errors import QuantriftError
from quantrift.core.search.distortions import compound
from quantrift.core.search.distortions.compound import Compound, of_folder
from quantrift.core.search.distortions.genes import TableDistortion, TableSetting
from quantrift.core.search.space import Domain, Originals


@dataclass(frozen=True)
class Params:
    """Settings of the space."""

    distortions: tuple[str, ...] | None = None
    """Distortions that may be active, whatever order they are given in; those that say so by default, which ``default``
    stands for."""
    strengths: Mapping[str, Annotated[float, Gt(0), Le(1)]] = field(default_factory=dict)
    """Share of a distortion's full range, 1 for those that are not named."""
    beyond: bool = False
    """Whether slips of units may leave the ranges observed; the constraint ``observed_range`` then refuses them."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "distortions", of_folder("tables", self.distortions, self.strengths))


class TableDistortions(Compound):
    """The vectors that change rows of one table; inputs that are no rows of a table are an error."""

    def __init__(self, params: Params, domain: Domain) -> None:
        if domain.table is None:
            raise QuantriftError(
                f"space.table_distortions: made for rows of a table, but inputs are {domain.shape}; take another space"
            )
        super().__init__(
            "tables", params, partial(TableSetting, domain.shape, table=domain.table, beyond=params.beyond)
        )

    def decode(self, candidates: np.ndarray, originals: Originals, rows: np.ndarray) -> np.ndarray:
        """Change copies of the seed inputs; see :class:`quantrift.core.search.space.Space`."""
        found = originals.inputs[rows]
        for distortion, on, genes in self.at_work(self.rounded(candidates), TableDistortion):
            for place, own in zip(on.tolist(), genes.tolist(), strict=True):
                distortion.apply(found[place, 0, 0], own)
        return found


modules = partial(compound.modules, "tables")
bind = TableDistortions
