"""Rates of searches under each count of survivors, and their distance from published ones."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from quantrift.core.base.errors import QuantriftError
from quantrift.core.statistics.found_rates import per_search, quotient
from quantrift.core.statistics.intervals import resampled, summed
from quantrift.core.statistics.invariants import read_searches

COUNTINGS = {
    "DiR alone": ("n_valid", "n_generated", "n_dii_memberships", "n_memberships"),
    "once": ("n_valid", "n_generated", "n_dii", "n_generated"),
    "each generation": ("n_valid_memberships", "n_memberships", "n_dii_memberships", "n_memberships"),
}
"""Where survivors of a generation count again -> numerator and denominator of VR, then of DiR. ``DiR alone`` is that of
all other tables."""


class Sums:
    """Sums of the counts of some searches: over all seed inputs, then over each resample of their clusters."""

    def __init__(self, files: Sequence[Path]) -> None:
        """Reads the searches tables of one tool on one subject.

        Raises:
            QuantriftError: an earlier version wrote them, or they contradict themselves.
        """
        searches = read_searches(files, ["run_seed", "input"])
        if "valid_memberships" not in searches:
            raise QuantriftError(
                f"{files[0]} has no column 'valid_memberships', so an earlier version wrote it; delete it and search "
                "again"
            )
        counts = per_search(searches) | {"n_valid_memberships": searches["valid_memberships"].astype(np.int64)}
        table, clusters = np.stack(list(counts.values()), axis=1), searches["cluster"]
        self.inputs = list(zip(searches["run_seed"].tolist(), searches["input"].tolist(), strict=True))
        """(run seed, seed input) of each search."""
        self.clusters = len(summed(clusters, table))
        """Number of clusters (``Inputs.clusters``)."""
        whole = np.concatenate([table.sum(axis=0)[None], resampled(clusters, table)])
        self._sums = dict(zip(counts, whole.T, strict=True))

    def rates(self, counting: str) -> dict[str, np.ndarray]:
        """``vr``, ``dir`` and ``sr``, fractions, float64 (1 + resamples,); NaN where a resample has no case."""
        valid, candidates, found, of = (self._sums[name] for name in COUNTINGS[counting])
        return {
            "vr": quotient(valid, candidates),
            "dir": quotient(found, of),
            "sr": quotient(self._sums["n_success"], self._sums["inputs"]),
        }


def cohens_h(first: np.ndarray | float, second: np.ndarray | float) -> np.ndarray:
    """Cohen's h of two shares, at least 0, of the broadcast shape: the distance of 2 arcsin of their roots.

    Equal distances are as easy to detect wherever the shares lie; .2 is called small, .5 medium and .8 large.
    """
    return np.abs(2 * np.arcsin(np.sqrt(first)) - 2 * np.arcsin(np.sqrt(second)))
