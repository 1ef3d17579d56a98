"""Seconds that searches took, as the records of finished ones say."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from quantrift.config import plan
from quantrift.config.errors import QuantriftError
from quantrift.config.paths import Paths
from quantrift.config.root import Config

NO_BUDGET = {"run_seeds", "inputs", "overlap", "skip"}
"""Settings of a protocol that say how many searches there are, not how long one is."""


@dataclass(frozen=True)
class Rates:
    """Measured searches."""

    config: Config
    """What they were made by."""
    found: dict[plan.Searches, float]
    """Charged seconds of one search, the mean over all of them."""

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
            done = [pd.read_parquet(file, columns=["seconds"]) for file in files]
            if done:
                found[searches] = float(pd.concat(done)["seconds"].mean())
        if not found:
            raise QuantriftError(
                f"{paths.root}: no finished searches to take rates from; run the configuration first, for example "
                "`snakemake --cores 2 rq1 --configfile` with the file given as --measured"
            )
        return Rates(config, found)

    def seconds(self, config: Config, searches: plan.Searches) -> float | None:
        """Charged seconds of one search that ``config`` plans; None where nobody measured its like."""
        alike = {
            one: seconds
            for one, seconds in self.found.items()
            if (one.subject.model, one.subject.compression) == (searches.subject.model, searches.subject.compression)
            and (one.tool, one.protocol) == (searches.tool, searches.protocol)
            and self._same(config, searches)
        }
        published = _published(config, searches.subject.dataset)
        same = [seconds for one, seconds in alike.items() if _published(self.config, one.subject.dataset) == published]
        chosen = same or list(alike.values())
        return float(np.mean(chosen)) if chosen else None

    def _same(self, config: Config, searches: plan.Searches) -> bool:
        """Whether tool and budget are the same in both configurations."""
        return self.config.tools[searches.tool] == config.tools[searches.tool] and self.config.protocols[
            searches.protocol
        ].model_dump(exclude=NO_BUDGET) == config.protocols[searches.protocol].model_dump(exclude=NO_BUDGET)


def _published(config: Config, dataset: str) -> str:
    """Under which id the dataset's published numbers are filed."""
    return config.datasets[dataset].published_as or dataset
