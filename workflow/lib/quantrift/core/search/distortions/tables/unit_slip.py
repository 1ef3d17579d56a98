"""Slips of units: a value in another unit, or with its decimal point elsewhere."""

import numpy as np

from quantrift.core.search.distortions.genes import Gene
from quantrift.core.search.distortions.table_distortion import Setting, TableDistortion

PLACE = 40
BY_DEFAULT = False
FACTORS = (10.0, 0.1, 1000.0)
"""By which a value may be multiplied."""


class UnitSlip(TableDistortion):
    """Place of the feature among those that are numbers, and number of the factor among ``FACTORS``."""

    def __init__(self, setting: Setting) -> None:
        self._table, self._beyond = setting.table, setting.beyond
        self._numbers = setting.table.numbers
        last = len(self._numbers) - 1
        super().__init__([Gene(0, last), Gene(0, len(FACTORS) - 1)] if self._numbers else [])

    def changed(self, row: np.ndarray, genes: list[float]) -> None:
        """Multiply the value; unless asked otherwise, it stays as it was where that leaves the range observed."""
        number = self._numbers[int(genes[0])]
        column = self._table.columns[number]
        found = row[number] * np.float32(FACTORS[int(genes[1])])
        if self._beyond or column.low <= found <= column.high:
            row[number] = found


bind = UnitSlip
