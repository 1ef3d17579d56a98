"""The rates of DiverGet (section 5.1) as quotients of counts: one definition for run seeds and for intervals."""

import numpy as np
import pandas as pd

COUNTS = {
    "inputs": "input_count",
    "n_generated": "generated",
    "n_valid": "valid",
    "n_dii": "dii",
    "n_distinct": "distinct",
    "n_unique": "dii_distinct",
    "n_success": "success",
    "n_memberships": "memberships",
    "n_dii_memberships": "dii_memberships",
}
"""Count of a run seed -> column of ``per_search`` it sums."""

RATES = {
    "dir": ("n_dii_memberships", "n_memberships"),
    "dir_real": ("n_dii", "n_generated"),
    "dir_unique": ("n_unique", "n_distinct"),
    "dir_valid": ("n_dii", "n_valid"),
    "sr": ("n_success", "inputs"),
    "vr": ("n_valid", "n_generated"),
}
"""Rate -> (numerator, denominator). ``dir`` counts a survivor once a generation, as published."""

NET = ("dir", "dir_unique", "dir_valid", "sr")
"""Rates with a ``_net`` twin over the inputs on which the two models agree before any search."""


def per_search(searches: pd.DataFrame) -> pd.DataFrame:
    """The counts of each search (one row each) as int64, so that no sum overflows, under the names of ``COUNTS``.

    Raises:
        KeyError: a column of the searches table is missing.
    """
    with_success = searches.assign(success=searches["dii"] > 0, input_count=1)
    columns = {name: with_success[source].astype("int64") for name, source in COUNTS.items()}
    return pd.DataFrame(columns, index=searches.index)


def quotient(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """Elementwise quotient, float64 of the common shape; NaN where the denominator is 0."""
    with np.errstate(invalid="ignore"):
        return np.where(denominator == 0, np.nan, numerator / np.where(denominator == 0, 1, denominator))


def rates(sums: pd.DataFrame) -> pd.DataFrame:
    """All ``RATES`` (fractions, NaN where undefined) of rows of summed counts."""
    return pd.DataFrame(
        {name: quotient(sums[top].to_numpy(), sums[bottom].to_numpy()) for name, (top, bottom) in RATES.items()},
        index=sums.index,
    )
