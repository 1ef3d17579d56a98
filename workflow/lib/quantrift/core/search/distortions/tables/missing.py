"""Missing values, filled with the median of the feature, or the most frequent value of a category."""

import numpy as np

from quantrift.core.search.distortions.genes import ON_OFF, Gene, TableDistortion, TableSetting, share

PLACE = 30
GROUPS = ("default",)


def bind(setting: TableSetting) -> TableDistortion:
    """(feature, on) for each missing value; features are numbered numbers first, then categories.

    At most a tenth of the features are missing at once, a category counting as one, at least one and at most eight.
    """
    table = setting.table
    medians = [(number, table.columns[number]) for number in table.numbers]
    # The median of whole numbers is made a whole one.
    fills = [([number], [np.rint(one.typical) if one.whole else one.typical]) for number, one in medians]
    fills += [([*one.columns], [*one.values[one.typical]]) for one in table.categories]
    features = [(np.array(columns, np.int64), np.array(fill, np.float32)) for columns, fill in fills]

    def apply(row: np.ndarray, genes: list[float]) -> None:
        """Fill the features."""
        for number in {int(number) for number, on in zip(genes[::2], genes[1::2], strict=True) if on == 1}:
            columns, fill = features[number]
            row[columns] = fill

    count = len(features)
    return TableDistortion([Gene(0, count - 1), ON_OFF] * min(8, share(0.1 * setting.strength, count)), apply)
