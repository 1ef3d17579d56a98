"""Swaps of categories: a wrong entry, another code for the same thing, a different case of the same kind."""

import numpy as np

from quantrift.core.search.distortions.genes import ON_OFF, Gene, TableDistortion, TableSetting, share, up_to

PLACE = 20
GROUPS = ("default",)


def bind(setting: TableSetting) -> TableDistortion:
    """(category, on, share) for each swap: the share of the way through the values observed of it.

    At most a tenth of the categories change at once, at least one and at most eight.
    """
    categories = [
        (np.array(one.columns, np.int64), np.array(one.values, np.float32)) for one in setting.table.categories
    ]

    def apply(row: np.ndarray, genes: list[float]) -> None:
        """Set categories to values that were observed; of swaps of the same one, the last counts."""
        for number, on, place in zip(genes[::3], genes[1::3], genes[2::3], strict=True):
            if on == 1:
                columns, values = categories[int(number)]
                row[columns] = values[min(int(place * len(values)), len(values) - 1)]

    count = len(categories)
    swaps = min(8, share(0.1 * setting.strength, count)) if count else 0
    return TableDistortion([Gene(0, count - 1), ON_OFF, up_to(1)] * swaps, apply)
