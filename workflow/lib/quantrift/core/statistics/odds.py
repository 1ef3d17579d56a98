"""Odds ratios of active distortions, and the counts behind them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from quantrift.core.base import table_files
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.table_columns import firsts, in_order, joined, order, places, taken
from quantrift.core.search.record_columns import searches_path, settings
from quantrift.core.statistics.intervals import FEWEST, RESAMPLES, ends, few, resampled, summed, unit_of

OTHER, DII = 0, 1
"""Index of the two kinds of valid candidates."""


@dataclass(frozen=True, eq=False)
class Activation:
    """Active distortions of the distinct valid candidates of one tool on one subject.

    Seed inputs on which the models disagree before any search are left out: there, every mild candidate is
    difference-inducing, whatever its distortions are.
    """

    distortions: tuple[str, ...]
    run_seeds: np.ndarray
    """int (m,), of each search, ascending."""
    inputs: np.ndarray
    """int (m,), seed input of each search, ascending within a run seed."""
    clusters: np.ndarray
    """int (m,), cluster of each search (``Inputs.clusters``)."""
    total: np.ndarray
    """Valid candidates of each search, int64 (m, 2): other ones, difference-inducing ones."""
    on: np.ndarray
    """Candidates with each distortion switched on, int64 (m, 2, k)."""
    joint: np.ndarray
    """Candidates with each pair switched on, over all searches, int64 (2, k, k)."""

    @property
    def cells(self) -> np.ndarray:
        """Of each search and distortion: difference-inducing and on, and off, other and on, and off; (m, k, 4)."""
        off = self.total[:, :, None] - self.on
        return np.stack([self.on[:, DII], off[:, DII], self.on[:, OTHER], off[:, OTHER]], axis=-1)


def read(files: Sequence[Path]) -> Activation:
    """Count the candidates tables of all blocks, each with its searches table beside it.

    Raises:
        QuantriftError: if they are no records or their space has no distortions.
    """
    names = tuple(settings(files[0])["distortions"])
    if not names:
        raise QuantriftError(f"{files[0]}: its space has no distortions to switch on; leave the tool out")
    searched, total, on, joint = [], [], [], np.zeros((2, len(names), len(names)), np.int64)
    key = ("run_seed", "input")
    columns = [*key, "label_original", "label_compressed", "seed_disagrees", "active", "digest"]
    for file in files:
        searches, rows = (
            taken(table, ~table["seed_disagrees"].astype(bool))
            for table in (
                in_order(table_files.read(searches_path(file), [*key, "cluster", "seed_disagrees"]), key),
                table_files.read(file, columns),
            )
        )
        rows = taken(rows, firsts([rows[name] for name in (*key, "digest")]))
        place = places([rows[name] for name in key], [searches[name] for name in key])
        kind = (rows["label_original"] != rows["label_compressed"]).astype(np.int64)
        bits = (rows["active"][:, None] >> np.arange(len(names), dtype=np.uint32) & 1).astype(np.int64)
        counts = np.zeros((2 * len(searches["input"]), 1 + len(names)), np.int64)
        np.add.at(counts, 2 * place + kind, np.column_stack([np.ones(len(kind), np.int64), bits]))
        searched.append(searches)
        total.append(counts[:, 0].reshape(-1, 2))
        on.append(counts[:, 1:].reshape(-1, 2, len(names)))
        for one in (OTHER, DII):
            joint[one] += bits[kind == one].T @ bits[kind == one]
    whole = joined(searched)
    sorting = order(whole, key)
    run_seeds, inputs, clusters = (whole[name][sorting] for name in (*key, "cluster"))
    valid, switched = (np.concatenate(counts)[sorting] for counts in (total, on))
    return Activation(names, run_seeds.astype(np.int64), inputs, clusters, valid, switched, joint)


def odds_ratio(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mantel and Haenszel's (1959) odds ratio over strata; that of the one table where there is one.

    Where its numerator or denominator is 0, every cell is taken 1/2 larger (Haldane 1956, Anscombe 1956).

    Args:
        cells: (..., strata, 4) counts a, b, c, d; the odds are a / b against c / d.

    Returns:
        The odds ratio (...), NaN where no stratum has counts in both rows and both columns, as one that never or
        always holds has no odds; and whether it is corrected, bool (...).
    """
    cells = np.asarray(cells, np.float64)
    a, b, c, d = np.moveaxis(cells, -1, 0)
    usable = (a + b > 0) & (c + d > 0) & (a + c > 0) & (b + d > 0)
    top, bottom = _sums(cells, usable)
    defined = usable.any(axis=-1)
    corrected = defined & ((top == 0) | (bottom == 0))
    top, bottom = np.where(corrected, _sums(cells + 0.5, usable), (top, bottom))
    return np.where(defined, top / np.where(defined, bottom, 1), np.nan), corrected


def _sums(cells: np.ndarray, usable: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    a, b, c, d = np.moveaxis(cells, -1, 0)
    weights = usable / np.maximum(cells.sum(axis=-1), 1)
    return (a * d * weights).sum(axis=-1), (b * c * weights).sum(axis=-1)


@dataclass(frozen=True, eq=False)
class Odds:
    """Odds ratio of each of k distortions, with its 95 % interval; NaN where there is nothing to compare."""

    ratio: np.ndarray
    low: np.ndarray
    high: np.ndarray
    rests_on: str
    """Number of seed inputs or blocks with a difference-inducing input, in words, where too few for an interval."""
    corrected: np.ndarray
    """Whether 1/2 was added to the counts, bool (k,)."""


def odds(tools: Sequence[Activation]) -> Odds:
    """Odds ratios of one tool, or pooled over several with a stratum each, all on the same seed inputs.

    Intervals are a bootstrap that redraws the clusters of the seed inputs, the same ones for all tools, as candidates
    of one search depend on each other. From fewer than three clusters with a difference-inducing input none is given.
    Resamples without such an input, or in which a distortion is never or always on, have no odds ratio and are left
    out.

    Raises:
        QuantriftError: the tools' searches have different seed inputs or distortions.
    """
    first = tools[0]
    if not all(
        other.distortions == first.distortions
        and np.array_equal(other.inputs, first.inputs)
        and np.array_equal(other.run_seeds, first.run_seeds)
        for other in tools
    ):
        raise QuantriftError("tools with other seed inputs or distortions cannot be pooled; change `groups`")
    # (m, k, tools, 4)
    cells = np.stack([tool.cells for tool in tools], axis=2)
    ratio, corrected = odds_ratio(cells.sum(axis=0))
    drawn, _ = odds_ratio(resampled(first.clusters, cells.reshape(len(cells), -1)).reshape(RESAMPLES, *cells.shape[1:]))
    found = summed(first.clusters, np.sum([tool.total[:, [DII]] for tool in tools], axis=0))
    hits = int(np.count_nonzero(found))
    bounds = np.full((2, len(ratio)), np.nan)
    for place in np.flatnonzero(~np.isnan(ratio)) if hits >= FEWEST else ():
        bounds[:, place] = ends(float(ratio[place]), drawn[:, place], len(found))
    return Odds(ratio, bounds[0], bounds[1], few(hits, unit_of(first.inputs, first.clusters)), corrected)


def log_odds_of_pairs(activation: Activation, kind: int) -> np.ndarray:
    """Natural logarithm of the odds ratio of two distortions being on together, float64 (k, k).

    1/2 is added to every count, so that it is always finite; NaN where there is no candidate, where one of the two is
    never or always on, and on the diagonal.

    Args:
        activation: of one tool.
        kind: ``DII`` or ``OTHER``, whose candidates are counted.
    """
    both, total = activation.joint[kind].astype(np.float64), float(activation.total[:, kind].sum())
    on = np.diagonal(both)
    first, second = on[:, None] - both, on[None, :] - both
    neither = total - on[:, None] - on[None, :] + both
    ratio = np.log((both + 0.5) * (neither + 0.5) / ((first + 0.5) * (second + 0.5)))
    varies = (on > 0) & (on < total)
    return np.where(np.logical_and.outer(varies, varies) & ~np.eye(len(on), dtype=bool), ratio, np.nan)
