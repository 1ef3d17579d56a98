"""95 % intervals of rates; each contains its estimate (docs/metrics.md, Intervals).

Candidates of one search depend on each other. So do searches of one seed input and, on a scene, of one square block.
Resampling therefore draws clusters (``Inputs.clusters``).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from quantrift.core.base.streams import stream
from quantrift.core.base.table_columns import Arrays, Table, in_order
from quantrift.core.statistics.clustered import effective
from quantrift.core.statistics.found_rates import RATES, owners, per_search, quotient, rates

RESAMPLES = 2000
AT_ONCE = 250
"""Resamples that are drawn at once, which bounds the memory that they take."""
Z95 = 1.959963984540054
"""97.5 % quantile of the standard normal distribution."""
TAIL = 0.025
FEWEST = 3
"""Smallest number of clusters with an event from which their differences can be estimated."""
WORDS = {1: "one", 2: "two"}
INPUT, BLOCK = "seed input", "spatial block"
"""Unit of a cluster."""


@dataclass(frozen=True)
class Share:
    """A share, or a quotient of two sums over clusters, with its 95 % interval; NaN where there is none."""

    share: float
    low: float
    high: float
    hits: int
    """Clusters with an event."""
    unit: str = INPUT
    """Unit of a cluster."""

    @property
    def rests_on(self) -> str:
        """Number of clusters with an event, in words, where they are few."""
        return few(self.hits, self.unit)


def wilson(successes: float, trials: float) -> tuple[float, float]:
    """Wilson score interval (95 %) of a proportion, as fractions; (nan, nan) without trials."""
    if trials == 0:
        return np.nan, np.nan
    share, z2 = successes / trials, Z95 * Z95 / trials
    middle = (share + z2 / 2) / (1 + z2)
    reach = Z95 * np.sqrt(share * (1 - share) / trials + z2 / (4 * trials)) / (1 + z2)
    # The ends are exactly 0 and 1 where nothing or everything succeeds; rounding may miss them.
    low = 0.0 if successes == 0 else float(middle - reach)
    high = 1.0 if successes == trials else float(middle + reach)
    return low, high


def few(hits: int, unit: str = INPUT) -> str:
    """``one seed input`` or ``two seed inputs`` where as few have an event, else an empty text."""
    return f"{WORDS[hits]} {unit}{'' if hits == 1 else 's'}" if hits in WORDS else ""


def unit_of(inputs: np.ndarray, clusters: np.ndarray) -> str:
    """Unit of the clusters (n,) of some seed inputs (n,): seed inputs or blocks."""
    return INPUT if np.array_equal(inputs, clusters) else BLOCK


def summed(clusters: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Sums of counts (n, m) over the rows of each cluster, int64 or float64 (k, m), by ascending cluster."""
    _, place = np.unique(clusters, return_inverse=True)
    sums = np.zeros((int(place.max(initial=-1)) + 1, counts.shape[1]), counts.dtype)
    np.add.at(sums, place, counts)
    return sums


def resampled(clusters: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Sums of counts over clusters that are drawn again, float64 (RESAMPLES, m).

    The draws depend on the number of clusters alone, so that tools which share their inputs share them too.

    Args:
        clusters: (n,) of each row.
        counts: (n, m).
    """
    sums = summed(clusters, counts).astype(np.float64)
    size, drawing = len(sums), stream("bootstrap")
    drawn = np.zeros((RESAMPLES, counts.shape[1]))
    for start in range(0, RESAMPLES if size else 0, AT_ONCE):
        times = drawing.multinomial(size, np.full(size, 1 / size), size=AT_ONCE)
        # Whole numbers in float64 have exact sums and a fast product.
        drawn[start : start + AT_ONCE] = times.astype(np.float64) @ sums
    return drawn


def ends(estimate: float, drawn: np.ndarray, clusters: int) -> tuple[float, float]:
    """Ends of the interval of an estimate from its resamples; (nan, nan) for fewer than three clusters.

    Percentiles, as far out as Student's t lies beyond the normal distribution for so many clusters (Hesterberg 2015):
    plain ones are too narrow where clusters are few. The estimate always lies within.

    Args:
        estimate: over all clusters.
        drawn: (RESAMPLES,), NaN where a resample has no estimate.
        clusters: that were drawn.
    """
    if clusters < FEWEST or np.isnan(estimate):
        return np.nan, np.nan
    tail = scipy.special.ndtr(scipy.special.stdtrit(clusters - 1, TAIL) * np.sqrt(clusters / (clusters - 1)))
    low, high = np.nanpercentile(drawn, [100 * tail, 100 * (1 - tail)])
    return min(float(low), estimate), max(float(high), estimate)


def ends_of_quotient(estimate: float, drawn: np.ndarray, clusters: int) -> tuple[float, float]:
    """The same of a quotient of two sums, from resamples of both, float64 (RESAMPLES, 2)."""
    return ends(estimate, quotient(drawn[:, 0], drawn[:, 1]), clusters)


def of_sums(sums: np.ndarray, drawn: np.ndarray, unit: str = INPUT) -> Share:
    """A share of cases, pooled over clusters: a bootstrap over clusters.

    From fewer than three clusters with an event no interval is given. Where nothing or everything is an event,
    resampling cannot see what was missed, and the far end is Wilson's for as many cases as clusters.

    Args:
        sums: (k, 2) events and cases of each cluster.
        drawn: (RESAMPLES, 2), the same over clusters that were drawn again.
        unit: of a cluster.
    """
    events, cases = sums.sum(axis=0).tolist()
    hits, clusters = (sums > 0).sum(axis=0).tolist()
    if not cases:
        return Share(np.nan, np.nan, np.nan, 0, unit)
    if events == 0:
        return Share(0.0, *wilson(0, clusters), 0, unit)
    share = events / cases
    if hits < FEWEST:
        return Share(share, np.nan, np.nan, hits, unit)
    interval = wilson(clusters, clusters) if events == cases else ends_of_quotient(share, drawn, clusters)
    return Share(share, *interval, hits, unit)


def pooled(clusters: np.ndarray, events: np.ndarray, cases: np.ndarray, unit: str = INPUT) -> Share:
    """The same from the events and cases (n,) of searches and the clusters that these belong to."""
    counts = np.stack([events, cases], axis=1)
    return of_sums(summed(clusters, counts), resampled(clusters, counts), unit)


def of_inputs(clusters: np.ndarray, success: np.ndarray, unit: str = INPUT) -> Share:
    """A share of seed inputs, like SR, with Wilson's interval.

    It rests on the number of inputs and not on how clusters differ, so that it holds for few events too. Where several
    searches share a cluster, they count as as many independent ones as tell as much (``clustered``), and from
    fewer than three clusters with an event as no more than there are clusters.

    Args:
        clusters: (n,) of each search.
        success: (n,) bool or 0/1.
        unit: of a cluster.
    """
    sums = summed(clusters, np.stack([success, np.ones_like(success)], axis=1).astype(np.int64))
    count, hits = int(sums[:, 1].sum()), int((sums[:, 0] > 0).sum())
    if not count:
        return Share(np.nan, np.nan, np.nan, 0, unit)
    share, trials = float(sums[:, 0].sum() / count), float(count)
    if len(sums) < count:
        trials = effective(sums[:, 0], sums[:, 1])[1] if hits >= FEWEST else float(len(sums))
    return Share(share, *wilson(share * trials, trials), hits, unit)


def median(values: np.ndarray, independent: bool = True) -> tuple[float, float, float]:
    """Median of values with its 95 % interval, that of two of them in order: (median, low, high).

    Such an interval holds the median of what the values are drawn from at least 95 times of 100, whatever that is.
    Below six values none is wide enough, and the ends are NaN.

    Args:
        values: (n,) without NaN.
        independent: False where there is to be no interval, as the values share what they are made of.
    """
    ordered = np.sort(values)
    middle = float(np.median(values)) if len(values) else np.nan
    outside = int(scipy.stats.binom.ppf(TAIL, len(values), 0.5)) if independent and len(values) else 0
    return (middle, float(ordered[outside - 1]), float(ordered[-outside])) if outside else (middle, np.nan, np.nan)


def intervals(searches: Table) -> Arrays:
    """The pooled share and the median over run seeds of each rate, each with its own 95 % interval: one row a rate.

    Last comes ``differing_share``, of the seed inputs those on which the models disagree before any search.

    Columns: ``metric``, ``run_seeds`` (on which it is defined), ``zero_run_seeds``, ``median``, ``median_low``,
    ``median_high``, ``pooled`` (over all seed inputs), ``pooled_low``, ``pooled_high``; fractions 0..1; ``clusters``,
    ``clusters_hit`` (with an event), ``rests_on`` (in words, where these are fewer than three).
    """
    searches = in_order(searches, ["run_seed", "input"])
    counts = per_search(searches) | {"n_differing": searches["seed_disagrees"].astype(np.int64)}
    table, clusters = np.stack(list(counts.values()), axis=1), searches["cluster"]
    unit = unit_of(searches["input"], clusters)
    of_run_seeds = dict(zip(counts, summed(searches["run_seed"], table).T, strict=True))
    observed = rates(of_run_seeds)
    observed["differing_share"] = of_run_seeds["n_differing"] / of_run_seeds["inputs"]
    independent = not (owners(searches) > 1).any()
    sums = dict(zip(counts, summed(clusters, table).T, strict=True))
    drawn = dict(zip(counts, resampled(clusters, table).T, strict=True))
    rows: list[dict[str, Any]] = []
    for metric, (top, bottom) in (RATES | {"differing_share": ("n_differing", "inputs")}).items():
        values = observed[metric][~np.isnan(observed[metric])]
        if bottom == "inputs":
            share = of_inputs(clusters, counts[top], unit)
        else:
            own, again = (np.stack([of[top], of[bottom]], axis=1) for of in (sums, drawn))
            share = of_sums(own, again, unit)
        # Of run seeds that are nearly all 0, two equal ones would make an interval without width.
        middle = median(values, independent and share.hits >= FEWEST)
        rows.append(
            {
                "metric": metric,
                "run_seeds": len(values),
                "zero_run_seeds": int((values == 0).sum()),
                **dict(zip(("median", "median_low", "median_high"), middle, strict=True)),
                **{"pooled": share.share, "pooled_low": share.low, "pooled_high": share.high},
                "clusters": int((sums[bottom] > 0).sum()),
                "clusters_hit": share.hits,
                "rests_on": share.rests_on,
            }
        )
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def drop(lost: int, gained: int, count: int) -> tuple[float, float, float]:
    """Fall of a share between two measurements of the same cases, with its 95 % interval.

    Bonett and Price (2012): a Wald interval after one case is added to each of the two counts, which keeps its level
    in small samples and without any change.

    Args:
        lost: cases counted in the first measurement alone.
        gained: cases counted in the second alone.
        count: all cases.

    Returns:
        (fall, low, high), fractions -1 to 1; nan without cases.
    """
    if not count:
        return np.nan, np.nan, np.nan
    first, second = (lost + 1) / (count + 2), (gained + 1) / (count + 2)
    middle = first - second
    reach = Z95 * np.sqrt((first + second - middle**2) / (count + 2))
    return (lost - gained) / count, max(-1.0, float(middle - reach)), min(1.0, float(middle + reach))
