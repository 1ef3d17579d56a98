"""The rates of DiverGet (section 5.1) as quotients of counts: one definition for run seeds and for intervals."""

import numpy as np

from quantrift.core.base.table_columns import Arrays, Table, firsts

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


def per_search(searches: Table) -> Arrays:
    """The counts of each search (one row each) as int64, so that no sum overflows, under the names of ``COUNTS``.

    Raises:
        KeyError: a column of the searches table is missing.
    """
    success = np.asarray(searches["dii"]) > 0
    own = {"success": success, "input_count": np.ones(len(success))}
    return {
        name: np.asarray(own[source] if source in own else searches[source]).astype(np.int64)
        for name, source in COUNTS.items()
    }


def owners(searches: Table) -> np.ndarray:
    """Number of run seeds that have the seed input of each search, int64 (n,)."""
    inputs, run_seeds = np.asarray(searches["input"]), np.asarray(searches["run_seed"])
    own, counts = np.unique(inputs[firsts([inputs, run_seeds])], return_counts=True)
    return counts[np.searchsorted(own, inputs)]


def quotient(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """Elementwise quotient, float64 of the common shape; NaN where the denominator is 0."""
    with np.errstate(invalid="ignore"):
        return np.where(denominator == 0, np.nan, numerator / np.where(denominator == 0, 1, denominator))


def rates(sums: Arrays) -> Arrays:
    """All ``RATES`` (fractions, NaN where undefined) of rows of summed counts."""
    return {name: quotient(sums[top], sums[bottom]) for name, (top, bottom) in RATES.items()}
