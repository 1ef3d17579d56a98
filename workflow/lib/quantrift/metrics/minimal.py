"""How many distortions difference-inducing inputs have, and how many they need, as shares with intervals."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from quantrift.metrics.intervals import RESAMPLES, resampled, wilson
from quantrift.metrics.rates import quotient
from quantrift.records.replay import settings


@dataclass(frozen=True, eq=False)
class Share:
    """A fraction of the shrunk inputs, with its 95 % interval."""

    share: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Minimal:
    """What shrinking came to for one tool on one subject; seed inputs on which the models disagree left out."""

    shrunk: pd.DataFrame
    """``quantrift.records.shrink.SHRUNK`` without those inputs."""
    agreeing: pd.MultiIndex
    """(run_seed, input) of all searches whose seed inputs the models agree on, ascending."""
    left_out: int
    """Difference-inducing inputs that need no distortion, as the models disagree on their seed input."""
    distortions: Sequence[str]

    def share(self, chosen: np.ndarray) -> Share:
        """The share of the inputs that are chosen, bool (n,), n >= 1.

        The interval is a bootstrap that redraws the seed inputs within each run seed, also those of which nothing was
        shrunk. Where none or all are chosen, resampling cannot see what was missed, and it is Wilson's for the seed
        inputs of which something was shrunk.
        """
        places = self.agreeing.get_indexer(pd.MultiIndex.from_frame(self.shrunk[["run_seed", "input"]]))
        counts = np.zeros((len(self.agreeing), 2))
        np.add.at(counts, places, np.column_stack([chosen, np.ones(len(chosen))]))
        if chosen.all() or not chosen.any():
            trials = len(np.unique(places))
            return Share(float(chosen.mean()), *wilson(trials * chosen.mean(), trials))
        sums = np.zeros((RESAMPLES, 2))
        for of_run_seed in resampled(self.agreeing.get_level_values(0).to_numpy(), counts):
            sums += of_run_seed
        # A resample without any that was shrunk has no share.
        low, high = np.nanpercentile(quotient(sums[:, 0], sums[:, 1]), [2.5, 97.5])
        return Share(float(chosen.mean()), float(low), float(high))

    def frequent(self, size: int, most: int) -> list[int]:
        """The sets of a size that are a smallest set of most inputs, most frequent first, ties by their bits."""
        counted = Counter(one for sets in self.shrunk.loc[self.shrunk["size"] == size, "sets"] for one in sets)
        return [one for one, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:most]]

    def having(self, one: int) -> np.ndarray:
        """Which inputs have it among their smallest sets, bool (n,)."""
        return np.array([one in sets for sets in self.shrunk["sets"]], bool)

    def named(self, one: int) -> str:
        """The distortions of a set: ``rotation + zoom``."""
        return " + ".join(name for place, name in enumerate(self.distortions) if one >> place & 1)


def read(path: Path) -> Minimal:
    """The outcome of rule ``shrink``."""
    table = pd.read_parquet(path)
    agreeing = ~table["seed_disagrees"].astype(bool)
    made = settings(path)
    searches = pd.MultiIndex.from_tuples(map(tuple, made["agreeing"]), names=["run_seed", "input"])
    return Minimal(table[agreeing].reset_index(drop=True), searches, int((~agreeing).sum()), made["distortions"])
