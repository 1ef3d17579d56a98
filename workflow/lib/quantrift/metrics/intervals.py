"""95 % intervals of rates whose unit is the seed input; candidates of one search depend on each other."""

import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd

from quantrift.config.streams import stream
from quantrift.metrics.rates import RATES, per_search, quotient, rates

RESAMPLES = 2000
Z95 = 1.959963984540054
"""97.5 % quantile of the standard normal distribution."""


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


def intervals(searches: pd.DataFrame) -> pd.DataFrame:
    """Median and mean over run seeds of each rate, each with a 95 % interval: one row a rate.

    SR has the Wilson interval of its share over all inputs. The other rates have percentile intervals of a bootstrap
    that redraws the inputs within each run seed (2000 seeded resamples; the same draws for every tool, as tools share
    their inputs). Where a rate's numerator is 0 in every search, resampling cannot see what was missed, and the upper
    end is Wilson's for 0 successes in the inputs. Inputs that several run seeds share count once as trials.

    Columns: ``metric``, ``run_seeds`` (on which it is defined), ``zero_run_seeds``, ``median``, ``low``, ``high``,
    ``mean``, ``mean_low``, ``mean_high``; fractions 0..1.
    """
    searches = searches.sort_values(["run_seed", "input"], ignore_index=True)
    counts = per_search(searches)
    observed = rates(counts.groupby(searches["run_seed"]).sum())
    medians, means = _bootstrap(searches, counts)
    rows = []
    for metric, (top, bottom) in RATES.items():
        values = observed[metric].dropna().to_numpy()
        row: dict[str, object] = {
            "metric": metric,
            "run_seeds": len(values),
            "zero_run_seeds": int((values == 0).sum()),
            "median": np.median(values) if len(values) else np.nan,
            "mean": values.mean() if len(values) else np.nan,
        }
        trials = searches.loc[counts[bottom] > 0, "input"].nunique()
        if metric == "sr":
            row["low"], row["high"] = wilson(counts[top].mean() * trials, trials)
            row["mean_low"], row["mean_high"] = row["low"], row["high"]
        elif counts[top].sum() == 0:
            row["low"], row["high"] = wilson(0, trials)
            row["mean_low"], row["mean_high"] = row["low"], row["high"]
        else:
            row["low"], row["high"] = np.nanpercentile(medians[metric], [2.5, 97.5])
            row["mean_low"], row["mean_high"] = np.nanpercentile(means[metric], [2.5, 97.5])
        rows.append(row)
    order = ["metric", "run_seeds", "zero_run_seeds", "median", "low", "high", "mean", "mean_low", "mean_high"]
    return pd.DataFrame(rows, columns=order)


def resampled(run_seeds: np.ndarray, counts: np.ndarray) -> Iterator[np.ndarray]:
    """Sums of counts over inputs redrawn within each run seed, run seed by run seed in ascending order.

    The draws depend on run seed and number of inputs alone, so that tools which share their inputs share them too.

    Args:
        run_seeds: (n,), of each search; searches stand by seed input within a run seed.
        counts: (n, m) counts of each search.

    Yields:
        (RESAMPLES, m) float64.
    """
    for run_seed in np.unique(run_seeds).tolist():
        places = np.flatnonzero(run_seeds == run_seed)
        size = len(places)
        draws = stream("bootstrap", run_seed).multinomial(size, np.full(size, 1 / size), size=RESAMPLES)
        # Whole numbers in float64 have exact sums and a fast product.
        yield draws.astype(np.float64) @ counts[places].astype(np.float64)


def _bootstrap(searches: pd.DataFrame, counts: pd.DataFrame) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Medians and means over run seeds of each rate in each resample: rate -> (RESAMPLES,)."""
    drawn: dict[str, list[np.ndarray]] = {metric: [] for metric in RATES}
    for of_run_seed in resampled(searches["run_seed"].to_numpy(), counts.to_numpy()):
        sums = dict(zip(counts.columns, of_run_seed.T, strict=True))
        for metric, (top, bottom) in RATES.items():
            drawn[metric].append(quotient(sums[top], sums[bottom]))
    with warnings.catch_warnings():
        # A resample in which no run seed has a valid candidate has no rate: NaN, which the percentiles leave out.
        warnings.simplefilter("ignore", RuntimeWarning)
        medians = {metric: np.nanmedian(values, axis=0) for metric, values in drawn.items()}
        means = {metric: np.nanmean(values, axis=0) for metric, values in drawn.items()}
    return medians, means
