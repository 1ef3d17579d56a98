"""Queries of searches up to their first disagreement, and of two tools on the same inputs (TriggerFinder)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.table_columns import Table
from quantrift.core.statistics import disagreements
from quantrift.core.statistics.found_rates import quotient
from quantrift.core.statistics.intervals import FEWEST, ends, ends_of_quotient, of_inputs, resampled, unit_of
from quantrift.core.statistics.published import SUBJECT
from quantrift.core.statistics.signed_rank import MIN_PAIRS, a12, balance, blocked_ranks, flipped_p

if TYPE_CHECKING:
    import pandas as pd

QUANTILES: Mapping[str, float] = {
    "q10": 0.1,
    "q25": 0.25,
    "median": 0.5,
    "q75": 0.75,
    "q90": 0.9,
    "q95": 0.95,
    "q99": 0.99,
    "most": 1.0,
}
"""Ending of a column -> share of the inputs that need no more queries; a failed search counts with all its queries."""


def load(files: Mapping[tuple[str, ...], Sequence[Path]]) -> "pd.DataFrame":
    """The searches of ``statistics.disagreements``, with a column ``queries``.

    A query is one candidate put through both models; the seed input's own is not counted. ``queries`` (float64) are
    those up to the first disagreement, or all of a search without one.

    Raises:
        QuantriftError: a tool was searched on one subject under several protocols.
    """
    found = disagreements.load(files)
    for names, own in found.groupby([*SUBJECT, "tool"], sort=False):
        if own["protocol"].nunique() > 1:
            raise QuantriftError(
                f"{'/'.join(map(str, names))} was searched under {' and '.join(own['protocol'].unique())}; "
                "name experiments of one protocol in `from`"
            )
    return found.assign(queries=queries(found))


def queries(searches: Table) -> np.ndarray:
    """Queries of searches as ``statistics.disagreements`` gives them, float64 (n,); see ``load``."""
    first = np.asarray(searches["fdi"], np.float64)
    return np.where(np.isnan(first), np.asarray(searches["spent"], np.float64), first)


def seeds(searches: "pd.DataFrame") -> "pd.DataFrame":
    """The searches whose input is a seed: one on which the models agree (TriggerFinder, Problem Formulation)."""
    return searches[~searches["seed_disagrees"].to_numpy(bool)]


def spread(searches: Table) -> dict[str, Any]:
    """Success and queries of one tool on one subject, over all inputs of all run seeds.

    ``sr`` (fraction) with its Wilson interval; ``queries_average``, the mean over successes as published, with a 95 %
    interval of a bootstrap over inputs, none from fewer than three with a success; ``queries_penalised``, the mean over
    all, a failure charged in full; the quantiles ``queries_<name>`` of the same; ``sr_rests_on``, the number of inputs
    with a success, in words, where they are few.
    """
    success, spent = np.asarray(searches["success"], bool), np.asarray(searches["queries"])
    clusters = np.asarray(searches["cluster"])
    found = of_inputs(clusters, success, unit_of(np.asarray(searches["input"]), clusters))
    cells: dict[str, Any] = {"n_success": int(success.sum()), "sr": found.share}
    cells |= {"sr_low": found.low, "sr_high": found.high, "sr_rests_on": found.rests_on}
    if not len(success):
        return cells
    if success.any():
        cells["queries_average"] = average = float(spent[success].mean())
        if found.hits >= FEWEST:
            sums = resampled(clusters, np.stack([np.where(success, spent, 0), success], axis=1))
            low, high = ends_of_quotient(average, sums, len(np.unique(clusters)))
            cells |= {"queries_average_low": low, "queries_average_high": high}
    cells["queries_penalised"] = spent.mean()
    return cells | {f"queries_{name}": np.quantile(spent, share) for name, share in QUANTILES.items()}


@dataclass(frozen=True, eq=False)
class Ratio:
    """Queries of a tool over those of another on the same inputs, failures charged in full."""

    inputs: int
    ratio: float
    """Geometric mean over inputs."""
    clusters: int
    """Number of clusters of the inputs (``Inputs.clusters``)."""
    means: np.ndarray
    """(RESAMPLES,), mean logarithms of the ratios of inputs whose clusters were drawn again."""
    a12: float
    """A12, above 0.5 where the tool needs more."""
    rank_biserial: float
    """Rank-biserial correlation, -1..1, above 0 where the tool needs more."""
    p: float | None = None
    """Two-sided signed-rank test (Pratt) of the logarithms, ranked within run seeds; None where inputs are too few, or
    serve several run seeds."""
    p_min: float | None = None
    """Smallest p these inputs could give."""


def ratio(tool: "pd.DataFrame", other: "pd.DataFrame", subject: str = "") -> Ratio:
    """Compare two tools on one subject, input by input.

    Args:
        tool: its searches, as ``load`` gives them.
        other: those of the other, on the same inputs.
        subject: name for the error.

    Raises:
        QuantriftError: they started from different inputs.
    """
    first, second = (one.set_index(["run_seed", "input"])["queries"].sort_index() for one in (tool, other))
    if not first.index.equals(second.index):
        raise QuantriftError(f"{subject}: its tools started from different inputs; search them under one protocol")
    run_seeds = first.index.get_level_values("run_seed").to_numpy()
    logs = np.log(first.to_numpy()) - np.log(second.to_numpy())
    ranks = blocked_ranks(logs, run_seeds)
    shared = first.index.get_level_values("input").has_duplicates
    p, smallest = (None, None) if shared or len(logs) < MIN_PAIRS else flipped_p(ranks)
    clusters = tool.set_index(["run_seed", "input"])["cluster"].sort_index().to_numpy()
    sums = resampled(clusters, np.stack([logs, np.ones_like(logs)], axis=1))
    return Ratio(
        len(logs),
        float(np.exp(logs.mean())),
        len(np.unique(clusters)),
        quotient(sums[:, 0], sums[:, 1]),
        a12(first.to_numpy(), second.to_numpy()),
        balance(ranks),
        p,
        smallest,
    )


def over(ratios: Sequence[Ratio]) -> tuple[float, float, float]:
    """The geometric mean of the ratios of some subjects, at least one, and its 95 % interval from the draws of each.

    Subjects with equally many clusters share the draws, so that shared inputs are drawn together. The ends are NaN
    where a subject has fewer than three clusters.
    """
    middle = float(np.mean([np.log(one.ratio) for one in ratios]))
    low, high = ends(middle, np.mean([one.means for one in ratios], axis=0), min(one.clusters for one in ratios))
    return float(np.exp(middle)), float(np.exp(low)), float(np.exp(high))


def factors(pairs: Sequence[tuple[float, float]]) -> dict[str, float]:
    """Factors by which a tool exceeds another over some subjects, in the three ways that papers compute them.

    Args:
        pairs: values of the tool and of the other, a pair for each subject; those with a NaN are left out.

    Returns:
        ``factor``: mean of the subjects' ratios, which TriggerFinder publishes. ``factor_of_averages``: ratio of the
        means over subjects. ``factor_geometric``, ``factor_least``, ``factor_most``: geometric mean, smallest and
        largest of the subjects' ratios. Empty without a pair.
    """
    values = np.array([pair for pair in pairs if not np.isnan(pair).any()], float).reshape(-1, 2)
    if not len(values):
        return {}
    ratios = values[:, 0] / values[:, 1]
    found = {
        "factor": ratios.mean(),
        "factor_of_averages": values[:, 0].mean() / values[:, 1].mean(),
        "factor_geometric": np.exp(np.log(ratios).mean()),
        "factor_least": ratios.min(),
        "factor_most": ratios.max(),
    }
    return {name: float(one) for name, one in found.items()}
