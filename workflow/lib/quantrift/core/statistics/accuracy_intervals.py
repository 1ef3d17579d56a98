"""Accuracy of networks under attack, with intervals over the inputs attacked."""

from pathlib import Path

import pandas as pd

from quantrift.core.statistics.intervals import wilson


def read(path: Path) -> pd.DataFrame:
    """Read a file of ``training.accuracy_under_attack``: a row for each attack and strength, in its order.

    Its columns, ``accuracy`` (fraction) and the ends of its 95 % interval (Wilson), ``accuracy_low`` and
    ``accuracy_high``.
    """
    found = pd.read_parquet(path)
    ends = [wilson(*counts) for counts in zip(found["correct"], found["inputs"], strict=True)]
    found["accuracy"] = found["correct"] / found["inputs"]
    return found.join(pd.DataFrame(ends, columns=["accuracy_low", "accuracy_high"], index=found.index))
