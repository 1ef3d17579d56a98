"""Missing values, filled with the median of the feature, or the most frequent value of a category."""

import numpy as np

from quantrift.core.search.distortions.genes import ON_OFF, Gene, pairs, share
from quantrift.core.search.distortions.table_distortion import Setting, TableDistortion, chosen

PLACE = 30
BY_DEFAULT = True
SHARE = 0.1
"""Of the features, at most, a category counting as one, and at least one."""
MOST = 8
"""Values that are missing at once at most."""


class Missing(TableDistortion):
    """(feature, on) for each missing value; features are numbered numbers first, then categories."""

    def __init__(self, setting: Setting) -> None:
        table = setting.table
        self._fills = [
            (np.array([number], np.int64), np.array([_filled(setting, number)], np.float32)) for number in table.numbers
        ]
        self._fills += [
            (np.array(one.columns, np.int64), np.array(one.values[one.typical], np.float32)) for one in table.categories
        ]
        count = len(self._fills)
        super().__init__(pairs(Gene(0, count - 1), ON_OFF, min(MOST, share(SHARE * setting.strength, count))))

    def changed(self, row: np.ndarray, genes: list[float]) -> None:
        """Fill the features."""
        for number in chosen(genes):
            columns, fill = self._fills[number]
            row[columns] = fill


def _filled(setting: Setting, number: int) -> float:
    """The median of a feature; of whole numbers, a whole one."""
    column = setting.table.columns[number]
    return float(np.rint(column.typical)) if column.whole else column.typical


bind = Missing
