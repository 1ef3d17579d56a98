"""Noise of measurement, in units of each feature's spread."""

import numpy as np

from quantrift.core.search.distortions.genes import PATTERN, TableDistortion, TableSetting, generator, up_to

PLACE = 10
GROUPS = ("default",)


def bind(setting: TableSetting) -> TableDistortion:
    """Standard deviation, at most a tenth of that of each feature, and the number of the pattern; of no category."""
    numbers = np.array(setting.table.numbers, np.int64)
    columns = [setting.table.columns[number] for number in setting.table.numbers]
    spread, low, high = (
        np.array([getattr(one, name) for one in columns], np.float32) for name in ("spread", "low", "high")
    )
    whole = np.array([one.whole for one in columns], bool)

    def apply(row: np.ndarray, genes: list[float]) -> None:
        """Add Gaussian noise within the ranges observed; features that are whole numbers stay whole."""
        pattern = generator(genes[1]).standard_normal(len(numbers), np.float32)
        found = np.clip(row[numbers] + np.float32(genes[0]) * spread * pattern, low, high)
        row[numbers] = np.where(whole, np.rint(found), found)

    return TableDistortion([up_to(0.1 * setting.strength), PATTERN] if columns else [], apply)
