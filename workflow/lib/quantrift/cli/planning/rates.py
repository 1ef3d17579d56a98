"""Seconds that searches took, as the records of finished ones say."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from quantrift.config import plan
from quantrift.config.errors import QuantriftError
from quantrift.config.paths import Paths
from quantrift.config.root import Config
from quantrift.config.searches import DRAW
from quantrift.metrics.published import published_dataset

NO_BUDGET = {"run_seeds", *DRAW}
"""Settings of a protocol that say where searches start, not how long one is."""


@dataclass(frozen=True)
class Rates:
    """Measured searches."""

    config: Config
    """What they were made by."""
    found: dict[plan.Searches, float]
    """Charged seconds spent on one seed input of a run seed, the mean over all; a targeted goal searches from each
    several times."""

    @staticmethod
    def measured(config: Config, results: Path) -> "Rates":
        """The searches of a configuration whose records lie in ``results``/<scale>, however many blocks.

        Raises:
            QuantriftError: if there are none.
        """
        paths = Paths(results / config.scale)
        found = {}
        for searches in plan.searches(config, list(config.experiments)):
            own = searches.subject
            folder = paths.searches(own.dataset, own.model, own.compression, searches.tool, searches.protocol)
            files = sorted(folder.glob("*.searches.parquet"))
            done = [pd.read_parquet(file, columns=["run_seed", "input", "seconds"]) for file in files]
            if done:
                found[searches] = float(pd.concat(done).groupby(["run_seed", "input"])["seconds"].sum().mean())
        if not found:
            raise QuantriftError(
                f"{paths.root}: no finished searches to take rates from; run the configuration first, for example "
                "`snakemake --cores 2 rq1 --configfile` with the file given as --measured"
            )
        return Rates(config, found)

    def seconds(self, config: Config, searches: plan.Searches) -> float | None:
        """Charged seconds on one seed input that ``config`` plans to search; None where nobody measured its like."""
        alike = {
            one: seconds
            for one, seconds in self.found.items()
            if (one.subject.model, one.subject.compression) == (searches.subject.model, searches.subject.compression)
            and (one.tool, one.protocol) == (searches.tool, searches.protocol)
            and self._same(config, searches)
        }
        published = published_dataset(searches.subject.dataset, config.datasets)
        same = [
            seconds
            for one, seconds in alike.items()
            if published_dataset(one.subject.dataset, self.config.datasets) == published
        ]
        chosen = same or list(alike.values())
        return float(np.mean(chosen)) if chosen else None

    def _same(self, config: Config, searches: plan.Searches) -> bool:
        """Whether tool and budget are the same in both configurations."""
        return self.config.tools[searches.tool] == config.tools[searches.tool] and self.config.protocols[
            searches.protocol
        ].model_dump(exclude=NO_BUDGET) == config.protocols[searches.protocol].model_dump(exclude=NO_BUDGET)
