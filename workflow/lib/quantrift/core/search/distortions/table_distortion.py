"""Interface of distortions of the rows of a table."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from quantrift.core.base.observed_columns import TableColumns
from quantrift.core.search.distortions import genes
from quantrift.core.search.distortions.compound import Distortion

NONE = TableColumns((), ())
"""No table."""


@dataclass(frozen=True)
class Setting(genes.Setting):
    """What decides the block of a distortion of a table."""

    table: TableColumns = NONE
    beyond: bool = False
    """Whether values may leave the ranges observed."""


class TableDistortion(Distortion, ABC):
    """Changes one row after the other, so that none depends on what stands beside it."""

    @abstractmethod
    def changed(self, row: np.ndarray, genes: list[float]) -> None:
        """Change a row, float32 (F,), in place, by the genes of the block, integer ones already rounded."""


def chosen(pairs: list[float]) -> list[int]:
    """Numbers that (number, on) pairs switch on, ascending, each once."""
    return sorted({int(number) for number, on in zip(pairs[::2], pairs[1::2], strict=True) if on == 1})
