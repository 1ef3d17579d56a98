"""Slips of units: a value in another unit, or with its decimal point elsewhere."""

import numpy as np

from quantrift.core.search.distortions.genes import Gene, TableDistortion, TableSetting

PLACE = 40
GROUPS = ()
FACTORS = (10.0, 0.1, 1000.0)
"""By which a value may be multiplied."""


def bind(setting: TableSetting) -> TableDistortion:
    """Place of the feature among those that are numbers, and number of the factor among ``FACTORS``."""
    numbers = setting.table.numbers

    def apply(row: np.ndarray, genes: list[float]) -> None:
        """Multiply the value; unless asked otherwise, it stays as it was where that leaves the range observed."""
        number = numbers[int(genes[0])]
        column = setting.table.columns[number]
        found = row[number] * np.float32(FACTORS[int(genes[1])])
        if setting.beyond or column.low <= found <= column.high:
            row[number] = found

    return TableDistortion([Gene(0, len(numbers) - 1), Gene(0, len(FACTORS) - 1)] if numbers else [], apply)
