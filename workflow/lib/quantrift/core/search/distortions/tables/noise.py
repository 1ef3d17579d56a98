"""Noise of measurement, in units of each feature's spread."""

import numpy as np

from quantrift.core.search.distortions.genes import Gene
from quantrift.core.search.distortions.table_distortion import Setting, TableDistortion

PLACE = 10
BY_DEFAULT = True
SPREADS = 0.1
"""Standard deviation at most, in standard deviations of the feature over the inputs given."""
PATTERNS = 2**16
"""Patterns of noise that there are."""


class Noise(TableDistortion):
    """Standard deviation in spreads of each feature, and the number of the pattern; of no category."""

    def __init__(self, setting: Setting) -> None:
        columns = [setting.table.columns[number] for number in setting.table.numbers]
        self._numbers = np.array(setting.table.numbers, np.int64)
        self._spread, self._low, self._high = (
            np.array([getattr(one, name) for one in columns], np.float32) for name in ("spread", "low", "high")
        )
        self._whole = np.array([one.whole for one in columns], bool)
        deviation = Gene(0, SPREADS * setting.strength, integer=False)
        super().__init__([deviation, Gene(0, PATTERNS - 1)] if columns else [])

    def changed(self, row: np.ndarray, genes: list[float]) -> None:
        """Add Gaussian noise within the ranges observed; features that are whole numbers stay whole."""
        pattern = np.random.Generator(np.random.PCG64(int(genes[1]))).standard_normal(len(self._numbers), np.float32)
        found = row[self._numbers] + np.float32(genes[0]) * self._spread * pattern
        np.clip(found, self._low, self._high, out=found)
        row[self._numbers] = np.where(self._whole, np.rint(found), found)


bind = Noise
